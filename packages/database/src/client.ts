import { Pool } from 'pg';
import { Statements } from './statements.js';
import type { Tx } from './tx.js';

/** One pool of connections. */
export interface Database {
  /** Single statements, each a transaction of its own on whichever connection is free. */
  readonly statements: Tx;
  /** Where `inTransaction` takes its connections from. */
  readonly pool: Pool;
  /** The URL it was opened with: what needs a connection of its own (session locks) opens one there. */
  readonly url: string;
  /** Waits for running queries, then closes every connection. May be called more than once. */
  close(): Promise<void>;
}

export interface ConnectOptions {
  /** Connections at most. */
  readonly max?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName?: string;
  /** A statement that runs longer is cancelled by the server, milliseconds. */
  readonly statementTimeoutMs?: number;
  /** Told when an idle connection breaks. The pool replaces it; there is nothing to do but log. */
  readonly onConnectionLost?: (error: Error) => void;
}

export const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;

/** Opens a pool; nothing connects before the first query. Close it with `close()`. */
export function connectDatabase(url: string, options: ConnectOptions = {}): Database {
  const statementTimeoutMs = options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS;
  const pool = new Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'aish',
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    // The statements of one transaction do not wait for each other's answers.
    pipeline: true,
    // Compiling a query takes longer than any of ours runs.
    options: '-c jit=off',
    statement_timeout: statementTimeoutMs,
    // The server's timeout comes first; this one is for a server that does not answer at all.
    query_timeout: statementTimeoutMs + 5_000,
    // A process that froze inside a transaction must not keep its rows locked for good.
    idle_in_transaction_session_timeout: 60_000,
  });
  // Without a listener a broken connection ends the process: the pool's is for those that are idle, the other one for
  // those that are lent out. There the next statement fails.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  pool.on('connect', (client) => client.on('error', () => undefined));
  let closing: Promise<void> | undefined;
  return { statements: new Statements(pool), pool, url, close: () => (closing ??= pool.end()) };
}
