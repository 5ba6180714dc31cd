import type { Pool, PoolClient } from 'pg';
import { inOneWrite } from './one-write.js';
import type { Tx } from './tx.js';
import type { Statements } from './statements.js';

/**
 * One transaction on a connection of its own: commits when `fn` returns, rolls back when it throws or, with `timeoutMs`,
 * takes longer. Nothing is tried again.
 */
export async function transaction<T>(
  pool: Pool,
  begin: string,
  statementsOf: (client: PoolClient) => Statements,
  fn: (tx: Tx) => Promise<T>,
  timeoutMs?: number,
): Promise<T> {
  const client = await pool.connect();
  const statements = statementsOf(client);
  let broken: Error | undefined;
  let timer: NodeJS.Timeout | undefined;
  try {
    // The first statements go out with it.
    inOneWrite(client);
    const begun = client.query(begin);
    const work: Promise<unknown>[] = [fn(statements), begun];
    const late = new Promise<never>((_, reject) => {
      if (timeoutMs === undefined) return;
      timer = setTimeout(() => reject(new Error(`The transaction took longer than ${timeoutMs} ms`)), timeoutMs);
    });
    const [result] = (await Promise.race([Promise.all(work), late])) as [T, unknown];
    statements.close();
    await client.query('commit');
    return result;
  } catch (error) {
    statements.close();
    // A connection that cannot even roll back is thrown away, and its transaction with it.
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
