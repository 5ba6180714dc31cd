/**
 * Who is at fault. `answered`: the server said no, with a code of contracts' PROBLEMS or one that this version does not
 * know. `unreachable`: no answer came. `unreadable`: the answer is none that this version understands. `token`: there
 * is no token to send.
 */
export type ApiErrorKind = 'answered' | 'unreachable' | 'unreadable' | 'token';

/** An error of talking to the api. Switch on `code`, never on the text. */
export class ApiError extends Error {
  constructor(
    readonly kind: ApiErrorKind,
    readonly code: string,
    message: string,
    readonly status: number | null = null,
    /** The other fields of the problem document, for instance who gave a verdict first. */
    readonly facts: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ApiError';
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
