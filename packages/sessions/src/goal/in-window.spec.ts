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

describe('what a goal may do in the change window', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(async () => {
    world.last = 'GOAL: complete\nDone.';
    world.sandbox.ran.length = 0;
    world.sandbox.around = HOME;
    world.tools.calls.length = 0;
    world.tools.words = 'Does';
    world.answers = [{ text: `CMD: ${COMMAND}` }];
    await space({ windows: OPEN });
  });

  const space = (more: Partial<Space>) =>
    writeSpace(world.db.statements, { ...emptySpace('general'), ...more, changedBy: 'admin' });
  const pendingOf = ({ sessionId }: ContractSession) =>
    listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
  async function letThrough(beforeRun: () => unknown = () => undefined): Promise<ContractSession> {
    const session = await beginGoal(world);
    await session.drive();
    await session.decide('proceed', undefined, { inWindow: true });
    await beforeRun();
    await session.drive();
    return session;
  }

  it('runs as it was let through while nothing has changed', async () => {
    expect(await pendingOf(await letThrough())).toEqual([]);
    expect(world.sandbox.ran).toEqual([COMMAND]);
  });

  it.each([
    [
      'the folder is another one',
      () => void (world.sandbox.around = { ...HOME, folder: '/x', digest: 'a'.repeat(64) }),
    ],
    ['it is judged otherwise', () => judgedAs('disks.other')],
    ['the window has closed before it began', () => space({ windows: windowOf(notToday()) })],
  ])('is asked about again where %s, and does not run', async (_why, beforeRun) => {
    const session = await letThrough(beforeRun);
    expect(world.sandbox.ran).toEqual([]);
    const [asked] = await pendingOf(session);
    expect(asked).toMatchObject({ action: COMMAND, approval: { given: [], waitsUntil: null } });
    expect(asked?.reason).toMatch(/^(the folder|it is judged otherwise|the change window closed)/);
  });

  it('is asked about again where a server says something else of its tool', async () => {
    world.answers = [{ text: '', toolCalls: [{ name: 'lab__ring_bell', arguments: '{}' }] }];
    const session = await letThrough(() => void (world.tools.words = 'Undoes'));
    expect(world.tools.calls).toEqual([]);
    expect(await pendingOf(session)).toMatchObject([{ approval: { given: [] } }]);
  });

  it('needs no question by a standing word, unless rules of the space want several people', async () => {
    world.answers = [{ text: `CMD: ${COMMAND}` }, { text: `CMD: ${COMMAND}` }];
    const session = await beginGoal(world);
    await session.drive();
    await session.decide('proceed', undefined, { granted: 'command' });
    await space({ approvals: [{ findings: ['destructive'], people: 2, notAuthor: false }] });
    await session.drive();
    expect(world.sandbox.ran).toEqual([COMMAND]);
    expect(await pendingOf(session)).toMatchObject([{ action: COMMAND, approval: { needed: 2 } }]);
  });

  const judgedAs = (ruleId: string) =>
    world.db.pool.query(
      `update decisions set classification = jsonb_set(classification, '{ruleId}', to_jsonb($1::text))`,
      [ruleId],
    );
});

/** All day, two days from now. */
function notToday(): string {
  const then = new Date(Date.now() + 2 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
  return `${then.toLowerCase()} 00:00-23:59`;
}
