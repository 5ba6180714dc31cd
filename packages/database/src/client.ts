import { Pool } from 'pg';
import { Statements } from './statements.js';
import type { Tx } from './tx.js';

/** A connection pool for one database. */
export interface Database {
  /** Runs single statements. Each is its own transaction on any free connection. */
  readonly statements: Tx;
  /** The pool for `inTransaction`. */
  readonly pool: Pool;
  /** The URL of the database. Session locks open their own connection there. */
  readonly url: string;
  /** Waits for running queries, then closes every connection. May be called more than once. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Maximum number of connections. */
  readonly max?: number;
  /** The name that `pg_stat_activity` shows. */
  readonly applicationName?: string;
  /** Milliseconds after which the server cancels a statement. */
  readonly statementTimeoutMs?: number;
  /**
   * Called when an idle connection breaks. The pool replaces the connection, so the caller only needs to log the error.
   */
  readonly onConnectionLost?: (error: Error) => void;
}

export const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/** Opens a pool. It connects with the first query. Close it with `close()`. */
export function connectDatabase(url: string, options: ConnectOptions = {}): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'aish',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // A statement of a transaction need not wait for the results of earlier ones.
    pipeline: true,
    // JIT compilation takes longer than any of aish's queries.
    options: '-c jit=off',
    statement_timeout: statementTimeoutMs,
    // The server's timeout comes first. This timeout is for a server that does not answer at all.
    query_timeout: statementTimeoutMs + 5_000,
    // A process that froze inside a transaction must not keep its rows locked forever.
    idle_in_transaction_session_timeout: 60_000,
  });
  // Without a listener, a broken connection would end the process. The pool's listener is for idle connections, the
  // second one for connections in use, where the next statement fails anyway.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  pool.on('connect', (client) => client.on('error', () => undefined));
  let closing: Promise<void> | undefined;
  return { statements: new Statements(pool), pool, url, close: () => (closing ??= pool.end()) };
}
