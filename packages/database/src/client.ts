import { Pool } from 'pg';
import { SharedReader } from './shared-reader.js';
import { Statements } from './statements.js';
import { transaction } from './transaction.js';
import type { Tx } from './tx.js';

/** One pool of connections. */
export interface Database {
  /** Single statements, each on whichever connection is free. */
  readonly statements: Tx;
  readonly pool: Pool;
  /** For reads that come in bursts; see `quickly`. */
  readonly reader: SharedReader;
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

export interface TransactionOptions {
  /** Time for `fn`, milliseconds; it is rolled back after that. */
  readonly timeoutMs?: number;
  readonly isolation?: 'ReadCommitted' | 'RepeatableRead' | 'Serializable';
}

export const CONNECT_TIMEOUT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const TRANSACTION_TIMEOUT_MS = 15_000;

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
    // What is asked for on one connection before the first answer has come does not wait for that answer.
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
  const statements = new Statements(pool, 'planned');
  let closing: Promise<void> | undefined;
  const reader = new SharedReader(pool);
  const close = async (): Promise<void> => {
    await reader.close();
    await pool.end();
  };
  return { statements, pool, reader, url, close: () => (closing ??= close()) };
}

/**
 * Runs `fn` in one transaction: commits when it returns, rolls back when it throws or takes longer than `timeoutMs`.
 * Waiting for a free connection has the same limit as connecting. Nothing is tried again.
 */
export function inTransaction<T>(
  db: Pick<Database, 'pool'>,
  fn: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  const begin = `begin${options.isolation === undefined ? '' : ` isolation level ${ISOLATION[options.isolation]}`}`;
  const timeoutMs = options.timeoutMs ?? TRANSACTION_TIMEOUT_MS;
  return transaction(db.pool, begin, (client) => new Statements(client, 'planned'), fn, timeoutMs);
}

const ISOLATION = {
  ReadCommitted: 'read committed',
  RepeatableRead: 'repeatable read',
  Serializable: 'serializable',
} as const satisfies Record<NonNullable<TransactionOptions['isolation']>, string>;
