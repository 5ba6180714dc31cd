import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, inTransaction, type Database } from './client.js';
import { quickly } from './quick-transaction.js';
import { joinSql, sql } from './sql.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres.js';

let made: TestDatabase;
let db: Database;

beforeAll(async () => {
  made = await createTestDatabase();
  db = connectDatabase(made.url);
}, 120_000);

afterAll(async () => {
  await db?.close();
  await made?.drop();
});

const addSession = (id: string) => (tx: Database['statements']) =>
  tx.$executeRaw`insert into sessions (id, kind, title) values (${id}::uuid, 'chat', 'x')`;
const count = async (id: string) => {
  const [row] = await db.statements.$queryRaw<
    { count: bigint }[]
  >`select count(*) as count from sessions where id = ${id}::uuid`;
  return row?.count;
};

describe('statements', () => {
  it('puts parts into their place, with their values', async () => {
    const either = joinSql([sql`n = ${2}::int`, sql`n between ${4}::int and ${5}::int`], ' or ');
    const rows = await db.statements.$queryRaw`
      select n from generate_series(1, ${9}::int) as n where (${either}) and n < ${5}::int order by n`;
    expect(rows).toEqual([{ n: 2 }, { n: 4 }]);
  });

  it('gives a transaction back that takes too long, and refuses who still works in it', async () => {
    const id = randomUUID();
    let late: Promise<unknown> = Promise.resolve();
    const tooLong = inTransaction(
      db,
      async (tx) => {
        await addSession(id)(tx);
        await new Promise((resolve) => setTimeout(resolve, 400));
        late = addSession(randomUUID())(tx);
        await late;
      },
      { timeoutMs: 100 },
    );
    await expect(tooLong).rejects.toThrow('longer than 100 ms');
    expect(await count(id)).toBe(0n);
    await new Promise((resolve) => setTimeout(resolve, 500));
    await expect(late).rejects.toThrow('is over');
  });

  it('keeps nothing of a transaction whose first statement fails', async () => {
    const id = randomUUID();
    const failing = inTransaction(db, async (tx) => {
      await Promise.all([tx.$executeRaw`select 1 / ${0}::int`, addSession(id)(tx)]);
    });
    await expect(failing).rejects.toThrow('division by zero');
    expect(await count(id)).toBe(0n);
  });

  it('reads in bursts on one connection, each with its own answer, failures among them', async () => {
    const reader = quickly(db);
    const one = (n: number) => reader.$queryRaw<{ n: number }[]>`select ${10}::int / ${n}::int as n`;
    const answers = await Promise.allSettled([5, 0, 2, 0, 1].map(one));
    expect(answers.map((each) => (each.status === 'fulfilled' ? each.value[0]?.n : 'failed'))).toEqual([
      2,
      'failed',
      5,
      'failed',
      10,
    ]);
  });

  it('reads on after its connection was cut', async () => {
    const reader = quickly(db);
    const [row] = await reader.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await db.statements.$queryRaw`select pg_terminate_backend(${row?.pid ?? 0}::int)`;
    let pid = row?.pid;
    for (let n = 0; n < 500 && pid === row?.pid; n += 1) {
      const read = await reader.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`.catch(() => []);
      pid = read[0]?.pid ?? row?.pid;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(pid).not.toBe(row?.pid);
  });
});
