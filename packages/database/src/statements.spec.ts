import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connectDatabase, type Database } from './client.js';
import { joinSql, sql } from './sql.js';
import { createTestDatabase, type TestDatabase } from './testing/postgres.js';
import { inTransaction } from './transaction.js';
import type { Tx } from './tx.js';

describe('statements', () => {
  let made: TestDatabase;
  let db: Database;
  /** All statements use one connection, so each meets the state that earlier ones left there. */
  let one: Database;

  beforeAll(async () => {
    made = await createTestDatabase({ migrated: false });
    db = connectDatabase(made.url);
    one = connectDatabase(made.url, { max: 1 });
    await one.statements.$executeRaw`create table things (id int primary key, name text)`;
  }, 120_000);

  afterAll(async () => {
    await one?.close();
    await db?.close();
    await made?.drop();
  });

  /** Returns the number of plans on that connection for statements with this word. */
  const kept = async (word: string): Promise<number> => {
    const rows = await one.statements.$queryRaw<{ count: bigint }[]>`
      select count(*) from pg_prepared_statements where position(${word} in statement) > 0
        and statement not like '%pg_prepared_statements%'`;
    return Number(rows[0]?.count);
  };

  it('nested parts are inserted into a statement together with their values', async () => {
    const either = joinSql([sql`n = ${2}::int`, sql`n between ${4}::int and ${5}::int`], ' or ');
    const rows = await db.statements.$queryRaw`
      select n from generate_series(1, ${9}::int) as n where (${either}) and n < ${5}::int order by n`;
    expect(rows).toEqual([{ n: 2 }, { n: 4 }]);
  });

  it('a statement that changes rows returns their number', async () => {
    expect(await db.statements.$executeRaw`insert into things (id) select generate_series(100, 102)`).toBe(3);
    expect(await db.statements.$executeRaw`update things set name = 'x' where id = ${101}`).toBe(1);
    expect(await db.statements.$executeRaw`create table if not exists things (id int)`).toBe(0);
  });

  it('64-bit integers are exact, alone and in a transaction', async () => {
    const read = async (tx: Tx): Promise<unknown> => tx.$queryRaw`select 9007199254740993::bigint as big, 7 as small`;
    const rows = [{ big: 9007199254740993n, small: 7 }];
    expect(await read(db.statements)).toEqual(rows);
    expect(await inTransaction(db, read)).toEqual(rows);
  });

  it('a statement is planned once per connection, with or without values and parts', async () => {
    for (const id of [1, 2, 3]) {
      await one.statements.$queryRaw`select 'plain' from things where id = ${id}`;
      await one.statements.$queryRaw`select 'parted' from things where ${sql`id = ${id}`}`;
    }
    expect(await kept('plain')).toBe(1);
    expect(await kept('parted')).toBe(1);
  });

  it('a plan is not cached if the text depends on the length of a list', async () => {
    for (const ids of [[1], [1, 2], [1, 2, 3]]) {
      const some = joinSql(ids.map((id) => sql`${id}::int`));
      await one.statements.$queryRaw`select 'listed' from things where id in (${some})`;
      await one.statements.$queryRaw`select 'listed' from things where ${sql`id in (${some})`}`;
    }
    expect(await kept('listed')).toBe(0);
  });

  it('a statement that reads all columns still works after a column is added', async () => {
    const all = (): Promise<unknown[]> => one.statements.$queryRaw`select * from things where id = ${1}`;
    await one.statements.$executeRaw`insert into things (id, name) values (${1}, ${'one'})`;
    expect(await all()).toEqual([{ id: 1, name: 'one' }]);
    await one.statements.$executeRaw`alter table things add column newer int not null default 0`;
    expect(await all()).toEqual([{ id: 1, name: 'one', newer: 0 }]);
  });

  it('each statement of a burst gets its own answer, even if others fail', async () => {
    const divide = (n: number) => db.statements.$queryRaw<{ n: number }[]>`select ${10}::int / ${n}::int as n`;
    const answers = await Promise.allSettled([5, 0, 2, 0, 1].map(divide));
    expect(answers.map((each) => (each.status === 'fulfilled' ? each.value[0]?.n : 'failed'))).toEqual([
      2,
      'failed',
      5,
      'failed',
      10,
    ]);
  });

  it('statements reconnect after their connection is cut', async () => {
    const [row] = await one.statements.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
    await db.statements.$queryRaw`select pg_terminate_backend(${row?.pid ?? 0}::int)`;
    let pid = row?.pid;
    for (let n = 0; n < 500 && pid === row?.pid; n += 1) {
      const read = await one.statements.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`.catch(() => []);
      pid = read[0]?.pid ?? row?.pid;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(pid).not.toBe(row?.pid);
  });

  it('a value is never interpreted as part of a statement', async () => {
    const name = `'); drop table things; -- ${randomUUID()}`;
    await db.statements.$executeRaw`insert into things (id, name) values (${50}, ${name})`;
    expect(await db.statements.$queryRaw`select name from things where name = ${name}`).toEqual([{ name }]);
  });
});
