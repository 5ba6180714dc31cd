import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase } from './client.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres.js';

describe('connectDatabase', () => {
  let server: TestDatabase;

  beforeAll(async () => {
    server = await createTestDatabase({ migrated: false });
  }, 120_000);

  afterAll(async () => {
    await server?.drop();
  });

  it('connectDatabase does not connect before the first statement, so a wrong address fails there', async () => {
    const nowhere = connectDatabase('postgres://nobody@127.0.0.1:1/nothing');
    await expect(nowhere.statements.$queryRaw`select 1`).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    await nowhere.close();
  });

  it('closing the database waits for running statements, and can be done twice', async () => {
    const db = connectDatabase(server.url, { max: 1 });
    const slow = db.statements.$queryRaw`select pg_sleep(0.2), 'answer' as said`;
    const closed = Promise.all([db.close(), db.close()]);
    expect(await slow).toMatchObject([{ said: 'answer' }]);
    await closed;
    await expect(db.statements.$queryRaw`select 1`).rejects.toThrow(/after calling end/);
  });

  it('a statement that takes too long is also cancelled on the server', async () => {
    const db = connectDatabase(server.url, { max: 2, statementTimeoutMs: 100, applicationName: 'impatient' });
    try {
      await expect(db.statements.$queryRaw`select pg_sleep(20)`).rejects.toMatchObject({ code: '57014' });
      const rows = await db.statements.$queryRaw`
        select 1 from pg_stat_activity where application_name = 'impatient' and query like '%pg_sleep(20)%'
          and state = 'active' and pid <> pg_backend_pid()`;
      expect(rows).toEqual([]);
    } finally {
      await db.close();
    }
  });

  it('a broken idle connection is reported, and the next statement gets another one', async () => {
    let tell: (error: Error) => void = () => undefined;
    const reported = new Promise<Error>((resolve) => (tell = resolve));
    const db = connectDatabase(server.url, { max: 1, onConnectionLost: tell });
    const other = connectDatabase(server.url, { max: 1 });
    try {
      const [row] = await db.statements.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await other.statements.$queryRaw`select pg_terminate_backend(${row?.pid}::int)`;
      expect((await reported).message).toMatch(/terminat/);
      expect(await db.statements.$queryRaw`select 1 as n`).toEqual([{ n: 1 }]);
    } finally {
      await other.close();
      await db.close();
    }
  });
});
