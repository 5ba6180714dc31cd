import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HOME, openWorld, type ContractSession, type World } from '@aish/actions/testing';
import { listDecisions } from '@aish/database/decisions.repository';
import { findGoal } from '@aish/database/goals.repository';
import { listActions } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import { beginGoal } from '../testing/begin-goal.js';

const PLAN = '1. Write the report\n2. Check it';

describe('a goal that plans first', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    world.last = 'GOAL: complete\nDone.';
    world.at = () => undefined;
    world.sandbox.ran.length = 0;
    world.sandbox.nextContext = { ...HOME, undoable: true };
  });

  async function runSession(...answers: readonly string[]): Promise<ContractSession> {
    world.answers = answers.map((text) => ({ text }));
    const session = await beginGoal(world, { trust: 'undoable', planFirst: true });
    await session.run();
    return session;
  }
  const pendingOf = ({ sessionId }: ContractSession) =>
    listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
  const noticesIn = async ({ sessionId }: ContractSession) =>
    (await listTurns(world.db.statements, sessionId)).map(({ content }) => content);

  it('a goal that plans first changes nothing until a person has accepted its plan', async () => {
    const session = await runSession('CMD: ls', 'CMD: touch report', `GOAL: plan\n${PLAN}`, 'CMD: touch report');
    expect(world.sandbox.ran).toEqual(['ls']);
    expect(await noticesIn(session)).toContainEqual(expect.stringMatching(/^\[aish\] action not run: touch report\n/));
    const [asked] = await pendingOf(session);
    expect(asked).toMatchObject({ kind: 'plan', action: PLAN, actionId: null });
    await session.decide('proceed');
    await session.run();
    expect(world.sandbox.ran).toEqual(['ls', 'touch report']);
    expect(await noticesIn(session)).toContain('[aish] The user has accepted your plan. Follow it now.');
    expect(await findGoal(world.db.statements, asked?.goalId ?? '')).toMatchObject({ state: 'done' });
  });

  it('the goal continues with the plan as a person has edited it', async () => {
    const session = await runSession(`GOAL: plan\n${PLAN}`, 'CMD: touch report');
    await session.decide('edit', undefined, { edited: '1. Write only the report' });
    await session.run();
    expect(await noticesIn(session)).toContainEqual(
      expect.stringMatching(/changed your plan .*\n1\. Write only the report$/),
    );
    expect(world.sandbox.ran).toEqual(['touch report']);
  });

  it('after a refused plan, the goal still changes nothing and proposes another plan', async () => {
    const session = await runSession(`GOAL: plan\n${PLAN}`, 'CMD: touch report', 'GOAL: plan\n1. Only look');
    await session.decide('skip', undefined, { message: 'no files' });
    await session.run();
    expect(world.sandbox.ran).toEqual([]);
    expect(await pendingOf(session)).toMatchObject([{ kind: 'plan', action: '1. Only look' }]);
    expect(await noticesIn(session)).toContainEqual(expect.stringContaining('no files'));
  });

  it('a tool call that may change something is skipped without a decision before there is a plan', async () => {
    world.answers = [
      { text: '', toolCalls: [{ name: 'lab__ring_bell', arguments: '{}' }] },
      { text: '', toolCalls: [{ name: 'lab__read_sign', arguments: '{}' }] },
    ];
    world.tools.calls.length = 0;
    const session = await beginGoal(world, { planFirst: true });
    await session.run();
    expect(world.tools.calls).toEqual(['read_sign']);
    expect(await listActions(world.db.statements, session.sessionId)).toMatchObject([
      { state: 'skipped' },
      { state: 'finished' },
    ]);
  });

  it('a goal that only reads something can end without a plan', async () => {
    const session = await runSession('CMD: ls', 'GOAL: complete\nThere are two files.');
    expect(await pendingOf(session)).toEqual([]);
    expect(world.sandbox.ran).toEqual(['ls']);
  });
});

describe('a goal that does not plan first', () => {
  it('a plan that was not requested needs no decision, and a notice asks the model to act', async () => {
    const world = await openWorld();
    world.last = 'GOAL: complete\nDone.';
    world.answers = [{ text: `GOAL: plan\n${PLAN}` }, { text: 'CMD: ls' }];
    const session = await beginGoal(world);
    await session.run();
    expect(world.sandbox.ran).toEqual(['ls']);
    const turns = await listTurns(world.db.statements, session.sessionId);
    expect(turns.map(({ content }) => content)).toContain('[aish] No plan has to be accepted. Do the next step now.');
    await world.close();
  }, 60_000);
});
