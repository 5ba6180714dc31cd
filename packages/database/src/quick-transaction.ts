import type { Database } from './client.js';
import type { Tx } from './tx.js';
import { Statements } from './statements.js';
import { transaction } from './transaction.js';

/**
 * Runs `fn` in one transaction as `inTransaction` does, with statements that the server keeps prepared: for what is written
 * many times a second. 64-bit integers come as text here. Nothing is tried again.
 */
export function inQuickTransaction<T>(db: Pick<Database, 'pool'>, fn: (tx: Tx) => Promise<T>): Promise<T> {
  return transaction(db.pool, 'begin', (client) => new Statements(client, 'prepared'), fn);
}

/** Single reads in the same quick way, on the connection that they share. Not for what may wait for a lock. */
export function quickly(db: Pick<Database, 'reader'>): Tx {
  return new Statements(db.reader, 'prepared');
}

/**
 * The same for what is one statement: each is a transaction of its own, without the round trips that begin and commit
 * one. Statements that do not wait for each other go over several connections.
 */
export function autocommit({ pool }: Pick<Database, 'pool'>): Tx {
  return new Statements(pool, 'prepared');
}
