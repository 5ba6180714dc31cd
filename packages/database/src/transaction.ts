import { AishError } from '@aish/contracts/problems';
import type { Database } from './client.js';
import { Statements } from './statements.js';
import type { Tx } from './tx.js';

export interface TransactionOptions {
  /** Time limit for `fn` in milliseconds. After that the transaction is rolled back. */
  readonly timeoutMs?: number;
  readonly isolation?: 'ReadCommitted' | 'RepeatableRead' | 'Serializable';
}

const TIMEOUT_MS = 15_000;
const ISOLATION = {
  ReadCommitted: 'read committed',
  RepeatableRead: 'repeatable read',
  Serializable: 'serializable',
} as const satisfies Record<NonNullable<TransactionOptions['isolation']>, string>;

/**
 * Runs `fn` in one transaction on its own connection. It commits when `fn` returns, and rolls back when `fn` throws or
 * takes longer than `timeoutMs`. The limit for getting a free connection is the same as for connecting. Nothing is
 * retried.
 */
export async function inTransaction<T>(
  { pool }: Pick<Database, 'pool'>,
  fn: (tx: Tx) => Promise<T>,
  { timeoutMs = TIMEOUT_MS, isolation = 'ReadCommitted' }: TransactionOptions = {},
): Promise<T> {
  const client = await pool.connect();
  const statements = new Statements(client);
  let broken: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    // The first statement of `fn` is queued behind this one.
    const begun = client.query(`begin isolation level ${ISOLATION[isolation]}`);
    const work: Promise<unknown>[] = [fn(statements), begun];
    const late = new Promise<never>((_, reject) => {
      const giveUp = (): void => reject(new AishError('internal', `The transaction took longer than ${timeoutMs} ms`));
      timer = setTimeout(giveUp, timeoutMs);
    });
    const [result] = (await Promise.race([Promise.all(work), late])) as [T, unknown];
    statements.close();
    await client.query('commit');
    return result;
  } catch (error) {
    statements.close();
    // If a connection cannot even roll back, it is destroyed, which ends its transaction.
    broken = await client.query('rollback').then(
      () => undefined,
      (failure: unknown) => (failure instanceof Error ? failure : new Error(String(failure))),
    );
    throw error;
  } finally {
    clearTimeout(timer);
    client.release(broken);
  }
}
