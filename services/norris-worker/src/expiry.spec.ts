import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Notice } from '@aish/contracts/events';
import type { HaltExpiry } from '@aish/contracts/goals';
import { listDecisions } from '@aish/database/decisions.repository';
import { findGoal } from '@aish/database/goals.repository';
import { listActions } from '@aish/database/steps.repository';
import { NOBODY, answerExpired } from './expiry.js';
import { halting, openWorkerWorld, type WorkerWorld } from './testing/worker-world.js';

describe('a question whose time is over', () => {
  let world: WorkerWorld;
  let driven: string[];
  let told: Notice[];

  beforeAll(async () => {
    world = await openWorkerWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    driven = [];
    told = [];
  });

  const sweep = () =>
    answerExpired(
      world.db,
      (goalId) => Promise.resolve(void driven.push(goalId)),
      (notice) => told.push(notice),
    );
  async function halted(verdict: HaltExpiry['verdict'], isOver = true) {
    const goal = await world.goal({ haltExpiry: { afterMs: 60_000, verdict } }, ...halting(randomUUID()));
    if (isOver) {
      await world.db.pool.query(`update decisions set expires_at = now() - interval '1 second' where goal_id = $1`, [
        goal.id,
      ]);
    }
    return goal;
  }

  it('is skipped where the goal says so: the action too, the model is told, and the goal goes on', async () => {
    const { id, sessionId } = await halted('skip');
    await sweep();
    expect(await findGoal(world.db.statements, id)).toMatchObject({ state: 'queued' });
    expect(await listActions(world.db.statements, sessionId)).toMatchObject([{ state: 'skipped' }]);
    expect(await listDecisions(world.db.statements, { goalId: id, limit: 9 })).toMatchObject([
      { state: 'decided', verdict: 'skip', message: 'nobody answered in time', decidedBy: NOBODY },
    ]);
    expect(driven).toEqual([id]);
    expect(told).toMatchObject([{ type: 'events', goalId: id }]);
  });

  it('ends the goal where it says abort, and nothing is driven', async () => {
    const { id } = await halted('abort');
    await sweep();
    expect(await findGoal(world.db.statements, id)).toMatchObject({ state: 'aborted' });
    expect(driven).toEqual([]);
  });

  it('is left alone before its time, and once somebody has answered', async () => {
    const early = await halted('abort', false);
    const answered = await halted('skip');
    await sweep();
    await sweep();
    expect(await findGoal(world.db.statements, early.id)).toMatchObject({ state: 'halted' });
    expect(driven).toEqual([answered.id]);
  });

  it('has one verdict however many workers look', async () => {
    const { id } = await halted('skip');
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(driven).toEqual([id]);
  });
});
