import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { LockNamespace } from '@aish/database/advisory-lock';
import { SharedLocks } from '@aish/database/shared-locks';
import { requeueOrphanedGoals } from './orphaned-goals.js';
import { Sweeper } from './sweeper.js';
import { until, useWorkerWorld } from './testing/worker-world.js';

describe('the sweeper', () => {
  const world = useWorkerWorld();

  it('the sweeper queues a new job for a goal that could continue but has no runner', async () => {
    const { db, queue } = world;
    const lost = await world.goal({});
    const running = await world.goal({});
    const paused = await world.goal({}, { type: 'paused', by: 'p' });
    const fresh = await world.goal({});
    const waiting = await world.goal(
      {},
      { type: 'taken' },
      { type: 'unavailable', what: 'model', reason: 'down', began: false },
    );
    await db.pool.query(`update goals set updated_at = now() - interval '1 minute'`);
    await db.pool.query(`update goals set updated_at = now() + interval '1 minute' where id = $1`, [fresh.id]);
    const locks = new SharedLocks(db, () => undefined);
    const lock = await locks.tryHold(LockNamespace.goal, running.id);
    const jobs = world.jobs();
    try {
      await requeueOrphanedGoals(db, queue);
      await until('the lost ones are queued', () => jobs.goalIds.length >= 2);
    } finally {
      await lock?.release();
      await locks.close();
    }
    // A waiting goal was due at once. A goal that was changed a moment ago still has its job.
    expect(new Set(jobs.goalIds)).toEqual(new Set([lost.id, waiting.id]));
    expect(jobs.goalIds).not.toContain(paused.id);
  }, 60_000);

  it('the sweeper repeats all its chores until it is stopped, even after one of them fails', async () => {
    const done: string[] = [];
    const sweeper = new Sweeper(
      {
        'do the first': () => Promise.resolve(void done.push('first')),
        'do the second': () => Promise.reject(new Error('away')),
        'do the third': () => Promise.resolve(void done.push('third')),
      },
      world.logger,
    );
    sweeper.start();
    await until('it has swept twice', () => done.length >= 4);
    await sweeper.stop();
    const before = done.length;
    expect(done.slice(0, 4)).toEqual(['first', 'third', 'first', 'third']);
    expect(world.logged.filter((line) => line.includes('could not do the second; retrying soon'))).toHaveLength(
      before / 2,
    );
    await sleep(2_500);
    expect(done.length).toBe(before);
  }, 60_000);

  it('a sweeper that is stopped skips chores that have not started, and waits for running ones', async () => {
    const done: string[] = [];
    const begun: (() => void)[] = [];
    const sweeper = new Sweeper(
      {
        'take long': () => new Promise<void>((resolve) => begun.push(resolve)).then(() => void done.push('long')),
        'be begun': () => Promise.resolve(void done.push('begun')),
      },
      world.logger,
    );
    sweeper.start();
    await until('the first is begun', () => begun.length > 0);
    const stopping = sweeper.stop();
    for (const finish of begun) finish();
    await stopping;
    expect(done).toEqual(['long']);
  }, 60_000);
});
