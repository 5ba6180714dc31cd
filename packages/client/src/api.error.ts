/**
 * Who is at fault. `answered`: the server said no, with a code of contracts' PROBLEMS or one that this version does not
 * know. `unreachable`: no answer came. `unreadable`: the answer is none that this version understands. `token`: there
 * is no token to send.
 */
export type ApiErrorKind = 'answered' | 'unreachable' | 'unreadable' | 'token';

interface ApiErrorOptions extends ErrorOptions {
  readonly status?: number;
  /** The other fields of the problem document, for instance who gave a verdict first. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** An error of talking to the api. Switch on `code`, never on the text. */
export class ApiError extends Error {
  /** Null where no answer came. */
  readonly status: number | null;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(
    readonly kind: ApiErrorKind,
    readonly code: string,
    message: string,
    { status, facts = {}, ...options }: ApiErrorOptions = {},
  ) {
    super(message, options);
    this.name = 'ApiError';
    this.status = status ?? null;
    this.facts = facts;
  }

  /** The token is missing, wrong, or does not allow this. */
  get isUnauthorised(): boolean {
    return this.kind === 'token' || this.status === 401 || this.status === 403;
  }

  /** Asking again later may help. */
  get isTransient(): boolean {
    if (this.kind !== 'answered') return this.kind === 'unreachable';
    return this.status === 408 || this.status === 429 || (this.status ?? 0) >= 500;
  }
}

/** The error as an ApiError; anything else is a fault of this program and is thrown on. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
