import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HOME, openWorld, type ContractSession, type World } from '@aish/actions/testing';
import { parseWindow, type ChangeWindow } from '@aish/contracts/change-windows';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import { listDecisions } from '@aish/database/decisions.repository';
import { writeSpace } from '@aish/database/spaces.repository';
import { beginGoal } from '../testing/begin-goal.js';

const OPEN = windowOf('daily 00:00-00:00');
const COMMAND = 'rm -rf copies';

function windowOf(text: string): ChangeWindow[] {
  return [parseWindow(text)].filter((window) => window !== null);
}

describe('the change window of a goal', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(async () => {
    world.last = 'GOAL: complete\nDone.';
    world.sandbox.ran.length = 0;
    world.sandbox.nextContext = HOME;
    world.tools.calls.length = 0;
    world.tools.words = 'Does';
    world.answers = [{ text: `CMD: ${COMMAND}` }];
    await space({ windows: OPEN });
  });

  const space = (more: Partial<Space>) =>
    writeSpace(world.db.statements, { ...emptySpace('general'), ...more, changedBy: 'admin' });
  const pendingOf = ({ sessionId }: ContractSession) =>
    listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
  async function approveInWindow(beforeRun: () => unknown = () => undefined): Promise<ContractSession> {
    const session = await beginGoal(world);
    await session.run();
    await session.decide('proceed', undefined, { inWindow: true });
    await beforeRun();
    await session.run();
    return session;
  }

  it('an approved command runs in the change window if nothing has changed', async () => {
    expect(await pendingOf(await approveInWindow())).toEqual([]);
    expect(world.sandbox.ran).toEqual([COMMAND]);
  });

  it.each([
    [
      'its folder has changed',
      () => void (world.sandbox.nextContext = { ...HOME, folder: '/x', digest: 'a'.repeat(64) }),
    ],
    ['its verdict has changed', () => judgedAs('disks.other')],
    ['the window closes before it begins', () => space({ windows: windowOf(notToday()) })],
  ])('aish asks about an approved command again, without running it, if %s', async (_why, beforeRun) => {
    const session = await approveInWindow(beforeRun);
    expect(world.sandbox.ran).toEqual([]);
    const [asked] = await pendingOf(session);
    expect(asked).toMatchObject({ action: COMMAND, approval: { given: [], waitsUntil: null } });
    expect(asked?.reason).toMatch(/^(the folder|its safety verdict has changed|the change window closed)/);
  });

  it('aish asks about an approved tool call again if its server changed the tool', async () => {
    world.answers = [{ text: '', toolCalls: [{ name: 'lab__ring_bell', arguments: '{}' }] }];
    const session = await approveInWindow(() => void (world.tools.words = 'Undoes'));
    expect(world.tools.calls).toEqual([]);
    expect(await pendingOf(session)).toMatchObject([{ approval: { given: [] } }]);
  });

  it('a granted command needs a decision if the space requires several people', async () => {
    world.answers = [{ text: `CMD: ${COMMAND}` }, { text: `CMD: ${COMMAND}` }];
    const session = await beginGoal(world);
    await session.run();
    await session.decide('proceed', undefined, { granted: 'command' });
    await space({ approvals: [{ findings: ['destructive'], people: 2, notAuthor: false }] });
    await session.run();
    expect(world.sandbox.ran).toEqual([COMMAND]);
    expect(await pendingOf(session)).toMatchObject([{ action: COMMAND, approval: { needed: 2 } }]);
  });

  it.each([
    ['the author of the goal may not approve', { findings: ['*'], people: 1, notAuthor: true }],
    ['several people must approve', { findings: ['unknown'], people: 2, notAuthor: false }],
  ])('a command with granted variables needs a decision if %s', async (_why, rule) => {
    const digest = { digest: '1'.repeat(64), variablesDigest: '2'.repeat(64) };
    world.sandbox.nextContext = { ...HOME, ...digest, variables: [{ name: 'PATH', value: '/workspace/bin' }] };
    world.answers = [{ text: 'CMD: ls' }, { text: 'CMD: ls src' }];
    const session = await beginGoal(world);
    await session.run();
    await session.decide('proceed', undefined, { carried: true, granted: 'variables' });
    await space({ approvals: [rule] });
    await session.run();
    expect(world.sandbox.ran).toEqual(['ls']);
    expect(await pendingOf(session)).toMatchObject([{ action: 'ls src', approval: { needed: rule.people } }]);
  });

  it('a granted command needs a decision if the author of the goal may not approve', async () => {
    world.answers = [{ text: `CMD: ${COMMAND}` }, { text: `CMD: ${COMMAND}` }];
    const session = await beginGoal(world);
    await session.run();
    await session.decide('proceed', undefined, { granted: 'command' });
    await space({ approvals: [{ findings: ['destructive'], people: 1, notAuthor: true }] });
    await session.run();
    expect(world.sandbox.ran).toEqual([COMMAND]);
    expect(await pendingOf(session)).toMatchObject([{ action: COMMAND, approval: { needed: 1, author: 'p' } }]);
  });

  it.each(['destructive', 'files.*', '*'])(
    'held changes need as many people as the approval rule for `%s` requires',
    async (finding) => {
      await space({ approvals: [{ findings: [finding], people: 2, notAuthor: true }] });
      world.answers = [{ text: 'CMD: destroy it' }];
      const session = await beginGoal(world);
      await session.run();
      expect(await pendingOf(session)).toMatchObject([
        { action: 'destroy it', classification: null, approval: { needed: 2, author: 'p' } },
      ]);
      await session.decide('skip');
      await session.run();
    },
  );

  const judgedAs = (ruleId: string) =>
    world.db.pool.query(
      `update decisions set classification = jsonb_set(classification, '{ruleId}', to_jsonb($1::text))`,
      [ruleId],
    );
});

/** Returns a change window that lasts all day, two days from now. */
function notToday(): string {
  const then = new Date(Date.now() + 2 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
  return `${then.toLowerCase()} 00:00-23:59`;
}
