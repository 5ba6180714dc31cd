/** Of a socket, and SQLSTATE of a server that ends, begins or has no connection left (PostgreSQL, appendix A). */
const CODES =
  /^(?:ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|08...|57P0[1-5]|53300)$/;
/** What pg and its pool say without a code. */
const WORDS =
  /^(?:timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout)/;

/**
 * Whether an error that nobody has named says that the database cannot be reached now. Other services' absence has a name
 * where it is met, so what is left are the database's own connections.
 */
export function isDatabaseAway(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof AggregateError && thrown.errors.some((each) => isDatabaseAway(each))) return true;
  return ('code' in thrown && CODES.test(String(thrown.code))) || WORDS.test(thrown.message);
}
