import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, inTransaction, type Database } from './client.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres.js';

describe('connectDatabase', () => {
  let server: TestDatabase;
  let db: Database;

  beforeAll(async () => {
    server = await createTestDatabase();
    db = connectDatabase(server.url, { max: 2 });
  }, 120_000);

  afterAll(async () => {
    await db?.close();
    await server?.drop();
  });

  // Between two statements nobody waits for an answer: the loss is an event of the client, which ends the process when
  // nobody listens.
  it('outlives a connection that is lost between two statements of a transaction', async () => {
    const broken = inTransaction(db, async (tx) => {
      const [row] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await db.pool.query('select pg_terminate_backend($1)', [row?.pid]);
      await sleep(200);
      return tx.$queryRaw`select 1`;
    });
    await expect(broken).rejects.toThrow(/terminat|connection/i);
    expect((await db.pool.query<{ n: number }>('select 1 as n')).rows).toEqual([{ n: 1 }]);
  });
});
