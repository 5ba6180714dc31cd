import { randomUUID } from 'node:crypto';
import { NOBODY } from '@aish/contracts/decisions';
import { describe, expect, it } from '@jest/globals';
import type { HaltExpiry } from '@aish/contracts/goals';
import { listDecisions } from '@aish/database/decisions.repository';
import { findGoal } from '@aish/database/goals.repository';
import { listActions } from '@aish/database/steps.repository';
import { answerExpired } from './expiry.js';
import { halting, useWorkerWorld } from './testing/worker-world.js';

describe('an expired decision', () => {
  const world = useWorkerWorld();

  let dropped: (string | null)[] = [];
  const sweep = () => {
    dropped = [];
    return answerExpired(world.ports, ({ actionId }) => Promise.resolve(void dropped.push(actionId)));
  };
  async function halted(verdict: HaltExpiry['verdict'], isOver = true) {
    const goal = await world.goal({ haltExpiry: { afterMs: 60_000, verdict } }, ...halting(randomUUID()));
    if (isOver) {
      await world.db.pool.query(`update decisions set expires_at = now() - interval '1 second' where goal_id = $1`, [
        goal.id,
      ]);
    }
    return goal;
  }

  it('an expired decision with the verdict skip skips its action, and its goal continues', async () => {
    const { id, sessionId } = await halted('skip');
    await sweep();
    expect(await findGoal(world.db.statements, id)).toMatchObject({ state: 'queued' });
    const actions = await listActions(world.db.statements, sessionId);
    expect(actions).toMatchObject([{ state: 'skipped' }]);
    expect(dropped).toEqual([actions[0]?.id]);
    expect(await listDecisions(world.db.statements, { goalId: id, limit: 9 })).toMatchObject([
      { state: 'decided', verdict: 'skip', message: 'nobody answered in time', decidedBy: NOBODY },
    ]);
    expect(world.queued).toEqual([id]);
    expect(world.published).toMatchObject([{ type: 'events', goalId: id }]);
  });

  it('an expired decision with the verdict abort ends its goal', async () => {
    const { id } = await halted('abort');
    await sweep();
    expect(await findGoal(world.db.statements, id)).toMatchObject({ state: 'aborted' });
    expect(world.queued).toEqual([]);
  });

  it('a decision does not expire early, or after an answer', async () => {
    const early = await halted('abort', false);
    const answered = await halted('skip');
    await sweep();
    await sweep();
    expect(await findGoal(world.db.statements, early.id)).toMatchObject({ state: 'halted' });
    expect(world.queued).toEqual([answered.id]);
  });

  it('an expired decision gets one verdict, however many workers find it', async () => {
    const { id } = await halted('skip');
    await Promise.all([sweep(), sweep(), sweep()]);
    expect(world.queued).toEqual([id]);
  });
});
