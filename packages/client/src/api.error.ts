/**
 * The kind of error. `answered`: the server refused, with a code of PROBLEMS or one that this version does not know.
 * `unreachable`: no response came. `unreadable`: this version cannot parse the response. `token`: there is no token to
 * send.
 */
export type ApiErrorKind = 'answered' | 'unreachable' | 'unreadable' | 'token';

interface ApiErrorOptions extends ErrorOptions {
  readonly status?: number;
  /** The other fields of the problem document, for example who gave a verdict first. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** An error during communication with the api. Check `code`, never the text. */
export class ApiError extends Error {
  /** The HTTP status; null if no response came. */
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

  /** Whether the token is missing, wrong, or does not allow the request. */
  get isUnauthorised(): boolean {
    return this.kind === 'token' || this.status === 401 || this.status === 403;
  }

  /** Whether a later retry may help. */
  get isTransient(): boolean {
    if (this.kind !== 'answered') return this.kind === 'unreachable';
    return this.status === 408 || this.status === 429 || (this.status ?? 0) >= 500;
  }
}

/** Returns the error as an ApiError. Any other error is a bug in this program and is thrown again. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  throw error;
}
