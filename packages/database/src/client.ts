import { PrismaPg } from '@prisma/adapter-pg';
import { Pool } from 'pg';
import { Prisma, PrismaClient } from './generated/client.js';

/** One pool of connections, seen through Prisma and through plain SQL. */
export interface Database {
  readonly prisma: PrismaClient;
  readonly pool: Pool;
  /** The URL it was opened with: what needs a connection of its own (session locks) opens one there. */
  readonly url: string;
  /** Waits for running queries, then closes every connection. May be called more than once. */
  close(): Promise<void>;
}

/** The client inside a transaction. Repository functions take it first, so they cannot write outside of it. */
export type Tx = Prisma.TransactionClient;

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
    // Compiling a query takes longer than any of ours runs.
    options: '-c jit=off',
    statement_timeout: statementTimeoutMs,
    // The server's timeout comes first; this one is for a server that does not answer at all.
    query_timeout: statementTimeoutMs + 5_000,
    // A process that froze inside a transaction must not keep its rows locked for good.
    idle_in_transaction_session_timeout: 60_000,
  });
  // Without a listener a broken idle connection ends the process.
  pool.on('error', (error) => options.onConnectionLost?.(error));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { disposeExternalPool: false }) });
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await prisma.$disconnect();
    await pool.end();
  };
  return { prisma, pool, url, close: () => (closing ??= close()) };
}

/**
 * Runs `fn` in one transaction: commits when it returns, rolls back when it throws or takes longer than `timeoutMs`.
 * Waiting for a free connection has the same limit as connecting. Nothing is tried again.
 */
export function inTransaction<T>(
  db: Pick<Database, 'prisma'>,
  fn: (tx: Tx) => Promise<T>,
  options: TransactionOptions = {},
): Promise<T> {
  return db.prisma.$transaction(fn, {
    timeout: options.timeoutMs ?? TRANSACTION_TIMEOUT_MS,
    maxWait: CONNECT_TIMEOUT_MS,
    ...(options.isolation === undefined ? {} : { isolationLevel: options.isolation }),
  });
}
