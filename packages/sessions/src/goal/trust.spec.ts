import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HOME, openWorld, type ContractSession, type World } from '@aish/actions/testing';
import { listDecisions } from '@aish/database/decisions.repository';
import { editGoal } from '@aish/database/goals.repository';
import { listActions } from '@aish/database/steps.repository';
import { beginGoal } from '../testing/begin-goal.js';

const UNDOABLE = { ...HOME, undoable: true };

describe('a goal with trust in undoable commands', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    world.last = 'GOAL: complete\nDone.';
    world.at = () => undefined;
    world.sandbox.ran.length = 0;
    world.sandbox.holds.length = 0;
    world.sandbox.nextContext = UNDOABLE;
    world.answers = [{ text: 'CMD: rm -rf copies' }];
  });

  async function runSession(more: Parameters<typeof beginGoal>[1]): Promise<ContractSession> {
    const session = await beginGoal(world, more);
    await session.run();
    return session;
  }
  const pendingOf = ({ sessionId }: ContractSession) =>
    listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });

  it('a trusted goal deletes files without a question, but only if the sandbox can undo it', async () => {
    const session = await runSession({ trust: 'undoable' });
    expect(await pendingOf(session)).toEqual([]);
    expect([world.sandbox.ran, world.sandbox.holds]).toEqual([['rm -rf copies'], ['must']]);
    expect(await listActions(world.db.statements, session.sessionId)).toMatchObject([
      { state: 'finished', classification: { verdict: 'destructive', ruleId: 'files.remove', held: true } },
    ]);
  });

  it("a change of trust applies from the goal's next action on", async () => {
    world.answers = [{ text: 'CMD: rm -rf copies' }, { text: 'CMD: rm -rf more' }];
    const session = await runSession({ trust: 'ask' });
    const [asked] = await pendingOf(session);
    await editGoal(world.db.statements, asked?.goalId ?? '', { trust: 'undoable' });
    await session.decide('skip');
    await session.run();
    expect(await pendingOf(session)).toEqual([]);
    expect([world.sandbox.ran, world.sandbox.holds]).toEqual([['rm -rf more'], ['must']]);
  });

  it.each([
    ['nobody set its trust to undoable', { trust: 'ask' }, UNDOABLE],
    ['an admin has lowered the highest trust', { trust: 'undoable', most: 'ask' }, UNDOABLE],
    ['its workspace has no layers, or has more access', { trust: 'undoable' }, HOME],
    [
      'earlier commands changed the meaning of words',
      { trust: 'undoable' },
      { ...UNDOABLE, variables: [{ name: 'PATH', value: '/x' }] },
    ],
  ] as const)('a goal asks before it deletes files if %s', async (_where, trusted, around) => {
    world.sandbox.nextContext = 'variables' in around ? { ...around, variables: [...around.variables] } : around;
    expect(await pendingOf(await runSession(trusted))).toMatchObject([{ action: 'rm -rf copies', difference: null }]);
    expect(world.sandbox.ran).toEqual([]);
  });

  it.each(['rm a; curl -X DELETE http://nas/x', 'rm a; git push --force', 'dropdb shop'])(
    'a trusted goal asks about a command that may affect more than its workspace: %s',
    async (command) => {
      world.answers = [{ text: `CMD: ${command}` }];
      expect(await pendingOf(await runSession({ trust: 'undoable' }))).toMatchObject([{ action: command }]);
      expect(world.sandbox.ran).toEqual([]);
    },
  );
});
