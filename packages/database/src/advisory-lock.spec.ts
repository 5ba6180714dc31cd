import { describe, expect, it } from '@jest/globals';
import { isAishError } from '@aish/contracts/problems';
import { LockNamespace, lockInTransaction, lockedKeys, withAdvisoryLock } from './advisory-lock.js';
import type { Database } from './client.js';
import { inTransaction } from './transaction.js';
import { openSuiteDatabase } from './testing/suite-database.js';

let db: Database;
openSuiteDatabase((opened) => (db = opened), { migrated: false });

const { goal, knowledge, memoryItems } = LockNamespace;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const codeOf = (error: unknown) => (isAishError(error) ? error.code : error);

/** Takes a lock. `held` resolves when the lock is held, and `release` releases it. */
function hold(key: string): { held: Promise<AbortSignal>; release: () => void; done: Promise<void> } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let report: (signal: AbortSignal) => void;
  const held = new Promise<AbortSignal>((resolve) => (report = resolve));
  const body = async (signal: AbortSignal): Promise<void> => {
    report(signal);
    await released;
  };
  return { held, release, done: withAdvisoryLock(db, goal, key, body, { waitMs: 10_000 }) };
}

async function killHolder(key: string): Promise<void> {
  const { rowCount } = await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1`,
    [`aish lock goal ${key}`],
  );
  expect(rowCount).toBe(1);
}

describe('withAdvisoryLock', () => {
  it('only one of 8 contenders holds the lock at a time, and all of them get it in the end', async () => {
    let inside = 0;
    let most = 0;
    let turns = 0;
    const turn = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      await pause(15);
      turns += 1;
      inside -= 1;
    };
    const contend = () => withAdvisoryLock(db, goal, 'contended', turn, { waitMs: 30_000 });
    await Promise.all(Array.from({ length: 8 }, contend));
    expect({ most, turns }).toEqual({ most: 1, turns: 8 });
  });

  it('locks with different keys or different namespaces do not block each other', async () => {
    const nested = await withAdvisoryLock(
      db,
      goal,
      'a',
      () =>
        withAdvisoryLock(db, goal, 'b', () => withAdvisoryLock(db, knowledge, 'a', async () => 'in', { waitMs: 0 }), {
          waitMs: 0,
        }),
      { waitMs: 0 },
    );
    expect(nested).toBe('in');
  });

  it('the error for a busy lock says who holds it and since when', async () => {
    const holder = hold('busy');
    await holder.held;
    const error = await withAdvisoryLock(db, goal, 'busy', async () => 1, { waitMs: 200 }).catch((e: unknown) => e);
    expect(error).toMatchObject({
      code: 'locked',
      facts: { namespace: 'goal', key: 'busy', holderPid: expect.any(Number), since: expect.stringMatching(/^20/) },
    });
    holder.release();
    await holder.done;
  });

  it('if the connection of a lock holder is killed, its work is aborted and the next one gets the lock', async () => {
    const holder = hold('killed');
    const signal = await holder.held;
    const next = hold('killed-next');
    await next.held;
    const waiting = withAdvisoryLock(db, goal, 'killed', async () => 'mine now', { waitMs: 20_000 });
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await db.pool.query(`select pg_terminate_backend(l.pid) from pg_locks l
      where l.locktype = 'advisory' and l.granted and l.objid::bigint = hashtext('killed')::bigint & 4294967295`);
    await aborted;
    await expect(waiting).resolves.toBe('mine now');
    expect(codeOf(signal.reason)).toBe('lock_lost');
    holder.release();
    expect(codeOf(await holder.done.catch((error: unknown) => error))).toBe('lock_lost');
    next.release();
    await next.done; // The other lock is not affected.
  });

  it('a lost lock is reported even if the work succeeded', async () => {
    const holder = hold('late');
    const signal = await holder.held;
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await killHolder('late');
    await aborted;
    holder.release();
    await expect(holder.done).rejects.toMatchObject({ code: 'lock_lost' });
  });

  it('the wait for a lock ends when its signal is aborted', async () => {
    const holder = hold('patience');
    await holder.held;
    const stop = new AbortController();
    const waiting = withAdvisoryLock(db, goal, 'patience', async () => 1, { waitMs: 60_000, signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    expect(codeOf(await waiting.catch((error: unknown) => error))).toBe('aborted');
    holder.release();
    await holder.done;
  });

  it('the lock is released when the work throws, and the error is passed on', async () => {
    const fail = () => Promise.reject(new Error('the work failed'));
    await expect(withAdvisoryLock(db, goal, 'thrown', fail, { waitMs: 0 })).rejects.toThrow('the work failed');
    await expect(withAdvisoryLock(db, goal, 'thrown', async () => 'free', { waitMs: 5_000 })).resolves.toBe('free');
  });
});

describe('lockInTransaction', () => {
  it('8 parallel transactions under one lock count without losing an increment', async () => {
    await db.pool.query('create table counted (n int not null); insert into counted values (0)');
    const count = () =>
      inTransaction(db, async (tx) => {
        await lockInTransaction(tx, memoryItems, 'me', { waitMs: 20_000 });
        const [row] = await tx.$queryRaw<{ n: number }[]>`select n from counted`;
        await pause(5);
        await tx.$executeRaw`update counted set n = ${(row?.n ?? 0) + 1}`;
      });
    await Promise.all(Array.from({ length: 8 }, count));
    expect((await db.pool.query('select n from counted')).rows).toEqual([{ n: 8 }]);
  });

  it('the wait for a lock in a transaction times out, and leaves the lock timeout of the transaction unchanged', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const other = inTransaction(db, async (tx) => {
      await lockInTransaction(tx, memoryItems, 'slow');
      await released;
    });
    await pause(100);
    const late = inTransaction(db, (tx) => lockInTransaction(tx, memoryItems, 'slow', { waitMs: 150 }));
    await expect(late).rejects.toMatchObject({
      code: 'locked',
      facts: { namespace: 'memoryItems', key: 'slow', holderPid: expect.any(Number) },
    });
    const patient = inTransaction(db, async (tx) => {
      await lockInTransaction(tx, memoryItems, 'slow', { waitMs: 10_000 });
      return tx.$queryRaw`select current_setting('lock_timeout') as after`;
    });
    await pause(100);
    release();
    await other;
    expect(await patient).toEqual([{ after: '0' }]);
  });
});

describe('lockedKeys', () => {
  it('lockedKeys returns the keys that are locked in the given namespace', async () => {
    const holder = hold('held');
    await holder.held;
    expect(await lockedKeys(db, goal, ['free', 'held', 'other'])).toEqual(['held']);
    expect(await lockedKeys(db, knowledge, ['held'])).toEqual([]);
    holder.release();
    await holder.done;
    expect(await lockedKeys(db, goal, ['held'])).toEqual([]);
  });
});
