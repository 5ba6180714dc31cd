import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openWorld, type World } from '@aish/actions/testing';
import { listDecisions } from '@aish/database/decisions.repository';
import { beginGoal } from '../testing/begin-goal.js';

describe("grants of a runbook's tools", () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
    await world.db.pool.query(
      `insert into accepted_runbooks (name, digest, tools, commands, accepted_by)
       values ('ring', 'seen', '{lab.ring_bell}', '{}', 'ann')`,
    );
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    world.last = 'GOAL: complete\nDone.';
    world.tools.calls.length = 0;
    world.answers = [{ text: '', toolCalls: [{ name: 'lab__ring_bell', arguments: '{}' }] }];
  });

  /** Returns a goal that follows the runbook with this digest. A person chose the runbook, or the model found it. */
  async function following(digest: string, chosen: boolean) {
    const session = await beginGoal(world);
    const used = [{ name: 'ring', commit: 'a'.repeat(40), digest, chosen }];
    await world.db.pool.query('update goals set runbooks = $2::jsonb where session_id = $1', [
      session.sessionId,
      JSON.stringify(used),
    ]);
    await session.run();
    const asked = await listDecisions(world.db.statements, {
      sessionId: session.sessionId,
      state: 'pending',
      limit: 9,
    });
    return { calls: [...world.tools.calls], asked: asked.length };
  }

  it('tools of an accepted, unchanged runbook run without a decision if a person chose the runbook', async () => {
    expect(await following('seen', true)).toEqual({ calls: ['ring_bell'], asked: 0 });
  });

  it('tools of a runbook need a decision if the runbook has changed since it was accepted', async () => {
    expect(await following('changed', true)).toEqual({ calls: [], asked: 1 });
  });

  it('tools of a runbook need a decision if the model chose the runbook', async () => {
    expect(await following('seen', false)).toEqual({ calls: [], asked: 1 });
  });
});
