/**
 * Socket error codes, and the SQLSTATEs of a server that stops, starts or has no free connections (PostgreSQL, appendix
 * A).
 */
const CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[1-5]|53300)$/;
/** Messages of pg and its pool that have no code. */
const WORDS =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout)/;

/**
 * Whether an unknown error means that the database is unreachable. Errors of other services already have their own
 * codes, so only the database's connections remain.
 */
export function isDatabaseUnavailable(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof AggregateError && thrown.errors.some((each) => isDatabaseUnavailable(each))) return true;
  return ('code' in thrown && CODES.test(String(thrown.code))) || WORDS.test(thrown.message);
}
