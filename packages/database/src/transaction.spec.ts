import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Database } from './client.js';
import { openSuiteDatabase } from './testing/suite-database.js';
import { inTransaction } from './transaction.js';
import type { Tx } from './tx.js';

describe('inTransaction', () => {
  let db: Database;
  openSuiteDatabase((opened) => (db = opened), { migrated: false, max: 2 });
  beforeAll(async () => {
    await db.statements.$executeRaw`create table things (id int primary key)`;
  }, 120_000);

  const add = (tx: Tx, id: number) => tx.$executeRaw`insert into things (id) values (${id})`;
  const has = async (id: number): Promise<boolean> =>
    (await db.statements.$queryRaw<unknown[]>`select 1 from things where id = ${id}`).length === 1;

  it('other connections see the changes of a transaction only after it has ended', async () => {
    const answer = await inTransaction(db, async (tx) => {
      await add(tx, 1);
      expect(await has(1)).toBe(false);
      return 'answer';
    });
    expect(answer).toBe('answer');
    expect(await has(1)).toBe(true);
  });

  it('a failed transaction changes nothing and releases its connection', async () => {
    for (let n = 0; n < 10; n += 1) {
      const failing = inTransaction(db, async (tx) => {
        await add(tx, 2);
        throw new RangeError('no');
      });
      await expect(failing).rejects.toThrow(RangeError);
    }
    await expect(inTransaction(db, (tx) => tx.$executeRaw`this is no sql`)).rejects.toThrow(/syntax error/);
    expect(await has(2)).toBe(false);
  });

  it('a transaction changes nothing if one of its parallel statements fails', async () => {
    const failing = inTransaction(db, (tx) => Promise.all([tx.$executeRaw`select 1 / ${0}::int`, add(tx, 3)]));
    await expect(failing).rejects.toThrow('division by zero');
    expect(await has(3)).toBe(false);
  });

  it('a transaction that takes too long is ended, and later work in it is refused', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const tooLong = inTransaction(
      db,
      async (tx) => {
        await add(tx, 4);
        await sleep(400);
        late = add(tx, 5);
        await late;
      },
      { timeoutMs: 100 },
    );
    await expect(tooLong).rejects.toMatchObject({ code: 'internal', message: expect.stringMatching(/100 ms/) });
    expect(await has(4)).toBe(false);
    await sleep(500);
    await expect(late).rejects.toThrow('is over');
    expect(await has(5)).toBe(false);
  });

  it('statements after the end of a transaction are refused', async () => {
    const tx = await inTransaction(db, async (its) => its);
    await expect(add(tx, 6)).rejects.toThrow('is over');
    expect(await has(6)).toBe(false);
  });

  it.each([
    [undefined, 'read committed'],
    ['RepeatableRead', 'repeatable read'],
    ['Serializable', 'serializable'],
  ] as const)('a transaction has the requested isolation level: %s', async (isolation, level) => {
    const options = isolation === undefined ? {} : { isolation };
    const rows = await inTransaction(db, (tx) => tx.$queryRaw`show transaction_isolation`, options);
    expect(rows).toEqual([{ transaction_isolation: level }]);
  });

  it('two serializable transactions that conflict cause an error', async () => {
    await db.statements.$executeRaw`create table counters (n int not null)`;
    await db.statements.$executeRaw`insert into counters values (0)`;
    const count = () =>
      inTransaction(
        db,
        async (tx) => {
          const [row] = await tx.$queryRaw<{ n: number }[]>`select n from counters`;
          await sleep(100);
          await tx.$executeRaw`update counters set n = ${(row?.n ?? 0) + 1}::int`;
        },
        { isolation: 'Serializable' },
      );
    const both = await Promise.allSettled([count(), count()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(both.find((each) => each.status === 'rejected')).toMatchObject({ reason: { code: '40001' } });
    expect(await db.statements.$queryRaw`select n from counters`).toEqual([{ n: 1 }]);
  });

  it('a transaction waits if all connections are in use', async () => {
    const order: number[] = [];
    const one = (id: number) =>
      inTransaction(db, async (tx) => {
        await tx.$queryRaw`select pg_sleep(0.05)`;
        order.push(id);
      });
    await Promise.all([1, 2, 3, 4, 5].map(one));
    expect(order.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5]);
  });

  // Between two statements nobody waits for an answer. The loss is then an event of the client, which ends the process
  // if nobody listens to it.
  it('the process survives a connection that is lost between two statements', async () => {
    const broken = inTransaction(db, async (tx) => {
      const [row] = await tx.$queryRaw<{ pid: number }[]>`select pg_backend_pid() as pid`;
      await db.statements.$queryRaw`select pg_terminate_backend(${row?.pid}::int)`;
      await sleep(200);
      return tx.$queryRaw`select 1`;
    });
    await expect(broken).rejects.toThrow(/terminat|connection/i);
    expect(await db.statements.$queryRaw`select 1 as n`).toEqual([{ n: 1 }]);
  });
});
