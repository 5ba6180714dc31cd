import { FakeSandbox } from '@aish/actions/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LockNamespace } from '@aish/database/advisory-lock';
import { SharedLocks } from '@aish/database/shared-locks';
import { Sweeper } from './sweeper.js';
import { openWorkerWorld, until, type WorkerWorld } from './testing/worker-world.js';

describe('the sweeper', () => {
  let world: WorkerWorld;

  beforeAll(async () => {
    world = await openWorkerWorld();
  }, 120_000);
  afterAll(() => world?.close());

  it('adds the jobs that were lost: of goals that could go on and that nobody drives', async () => {
    const { db, queue, logger } = world;
    const lost = await world.goal({});
    const driven = await world.goal({});
    const paused = await world.goal({}, { type: 'paused', by: 'p' });
    const fresh = await world.goal({});
    const waiting = await world.goal(
      {},
      { type: 'taken' },
      { type: 'away', what: 'model', reason: 'down', began: false },
    );
    await db.pool.query(`update goals set updated_at = now() - interval '1 minute' where id <> $1`, [fresh.id]);
    const locks = new SharedLocks(db, () => undefined);
    const lock = await locks.tryHold(LockNamespace.goal, driven.id);
    const sweeper = new Sweeper(db, queue, logger, () => undefined, new FakeSandbox(), { maxSteps: 16 });
    const jobs = world.jobs();
    sweeper.start();
    try {
      await until('the lost ones are driven', () => jobs.goalIds.length >= 2);
    } finally {
      await sweeper.stop();
      await lock?.release();
      await locks.close();
    }
    const added = new Set(jobs.goalIds);
    // A goal that waits was due at once; one that was touched a moment ago has its job still.
    expect(added.has(lost.id) && added.has(waiting.id)).toBe(true);
    for (const { id } of [driven, paused]) expect(added.has(id)).toBe(false);
    expect(world.logged).toEqual([]);
  }, 60_000);

  it('goes on after a sweep that failed, and stops when it is told to', async () => {
    const { db, queue, logger, logged } = world;
    const broken = { ...db, statements: { ...db.statements, $queryRaw: () => Promise.reject(new Error('away')) } };
    const sweeper = new Sweeper(broken, queue, logger, () => undefined, new FakeSandbox(), { maxSteps: 16 });
    sweeper.start();
    await until('it has failed twice', () => logged.filter((line) => line.includes('sweep failed')).length >= 2);
    await sweeper.stop();
    const before = logged.length;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(logged.length).toBe(before);
  }, 60_000);
});
