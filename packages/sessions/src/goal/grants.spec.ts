import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HOME, openWorld, type World } from '@aish/actions/testing';
import { listDecisions } from '@aish/database/decisions.repository';
import { beginGoal } from '../testing/begin-goal.js';

const RING = { text: '', toolCalls: [{ name: 'lab__ring_bell', arguments: '{}' }] };
const REMOVE = { text: 'CMD: rm -rf x' };

describe('a grant', () => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld();
    world.last = 'GOAL: complete\nDone.';
  }, 120_000);
  afterAll(() => world?.close());

  async function pendingIn(sessionId: string) {
    return listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
  }

  it('a grant for a tool is valid until its server changes the tool', async () => {
    world.answers = [RING, RING, { text: 'CMD: echo' }, RING];
    const goal = await beginGoal(world);
    await goal.run();
    world.at = (boundary) => {
      if (boundary === 'run.asked' && world.sandbox.ran.includes('echo')) world.tools.words = 'Melts';
    };
    await goal.decide('proceed', undefined, { granted: 'command' });
    await goal.run();
    world.at = () => undefined;
    expect(world.tools.calls).toEqual(['ring_bell', 'ring_bell']);
    expect(await pendingIn(goal.sessionId)).toMatchObject([
      { action: 'lab.ring_bell {}', context: expect.stringContaining('| Melts ring_bell.') },
    ]);
  });

  it('a grant applies only in the folder and with the variables that were approved', async () => {
    const around = { folder: '/workspace/a', variables: [{ name: 'PATH', value: '/x' }], digest: '1'.repeat(64) };
    world.sandbox.nextContext = around;
    world.answers = [REMOVE, { text: 'CMD: rm -rf y' }, REMOVE];
    const goal = await beginGoal(world);
    await goal.run();
    await goal.decide('proceed', undefined, { granted: 'rule', carried: true });
    world.at = (boundary) => {
      if (boundary === 'run.after' && world.sandbox.unpinned.length === 2) world.sandbox.nextContext = HOME;
    };
    await goal.run();
    world.at = () => undefined;
    expect(world.sandbox.unpinned).toEqual(['rm -rf x', 'rm -rf y']);
    expect(await pendingIn(goal.sessionId)).toMatchObject([{ action: 'rm -rf x', executionContext: HOME }]);
  });

  it('a grant for a command covers no other command, and a grant for a rule covers no other rule', async () => {
    world.sandbox.nextContext = HOME;
    world.sandbox.ran.length = 0;
    const PUSH = { text: 'CMD: git push --force' };
    world.answers = [REMOVE, REMOVE, { text: 'CMD: rm -rf y' }, { text: 'CMD: rm -rf z' }, PUSH];
    const goal = await beginGoal(world);
    await goal.run();
    await goal.decide('proceed', undefined, { granted: 'command' });
    await goal.run();
    expect(world.sandbox.ran).toEqual(['rm -rf x', 'rm -rf x']);
    expect(await pendingIn(goal.sessionId)).toMatchObject([{ action: 'rm -rf y' }]);
    await goal.decide('proceed', undefined, { granted: 'rule' });
    await goal.run();
    expect(world.sandbox.ran.slice(2)).toEqual(['rm -rf y', 'rm -rf z']);
    expect(await pendingIn(goal.sessionId)).toMatchObject([{ action: 'git push --force' }]);
  });
});
