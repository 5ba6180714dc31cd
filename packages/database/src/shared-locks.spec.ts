import { expect, describe, it } from '@jest/globals';
import { LockNamespace, lockedKeys } from './advisory-lock.js';
import type { Database } from './client.js';
import { SharedLocks } from './shared-locks.js';
import { openSuiteDatabase } from './testing/suite-database.js';

const { goal } = LockNamespace;

describe('SharedLocks', () => {
  let db: Database;
  const errors: unknown[] = [];

  openSuiteDatabase((opened) => (db = opened), { max: 2 });

  const open = () => new SharedLocks(db, (error) => errors.push(error));

  it('many shared locks can be taken and released at once on one connection', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', onWarning);
    const mine = open();
    const theirs = open();
    const keys = Array.from({ length: 20 }, (_, n) => `many-${n}`);
    const taken = await Promise.all(keys.flatMap((key) => [mine.tryHold(goal, key), theirs.tryHold(goal, key)]));
    // Either side may win, but never both.
    expect(taken.filter((lock) => lock !== null)).toHaveLength(keys.length);
    expect(new Set(await lockedKeys(db, goal, keys))).toEqual(new Set(keys));
    await Promise.all(taken.flatMap((lock) => lock?.release() ?? []));
    expect(await lockedKeys(db, goal, keys)).toEqual([]);
    await Promise.all([mine.close(), theirs.close()]);
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('only one holder at a time can have a shared lock, even within one process', async () => {
    const locks = open();
    const lock = await locks.tryHold(goal, 'once');
    expect(await locks.tryHold(goal, 'once')).toBeNull();
    await lock?.release();
    const again = await locks.tryHold(goal, 'once');
    expect(again).not.toBeNull();
    await locks.close();
  });

  it('all shared locks are lost with their connection, and new ones use another connection', async () => {
    const locks = open();
    const held = [await locks.tryHold(goal, 'lost-1'), await locks.tryHold(goal, 'lost-2')];
    const lost = held.map(
      (lock) =>
        new Promise<unknown>((resolve) => lock?.signal.addEventListener('abort', () => resolve(lock.signal.reason))),
    );
    await db.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'aish locks' and datname = current_database()`,
    );
    for (const reason of await Promise.all(lost)) expect(reason).toMatchObject({ code: 'lock_lost' });
    await Promise.all(held.flatMap((lock) => lock?.release() ?? []));
    expect(await locks.tryHold(goal, 'lost-1')).toMatchObject({ signal: { aborted: false } });
    await locks.close();
  });
});
