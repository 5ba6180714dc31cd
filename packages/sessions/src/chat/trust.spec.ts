import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { HOME, openWorld, type ContractSession, type World } from '@aish/actions/testing';
import { listDecisions } from '@aish/database/decisions.repository';
import { insertGrant, listGrants } from '@aish/database/grants.repository';
import { listActions } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import { depthTurn } from '../machine/chat/policy.js';
import { beginChat } from '../testing/begin-chat.js';

const UNDOABLE = { ...HOME, undoable: true };
const TRUSTED = { trust: 'undoable', confirmCommands: true, autoContinue: false } as const;

describe('decisions in a chat', () => {
  let world: World;

  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close());
  beforeEach(() => {
    world.last = 'That was all.';
    world.at = () => undefined;
    world.sandbox.ran.length = 0;
    world.sandbox.holds.length = 0;
    world.sandbox.nextContext = UNDOABLE;
  });

  async function runSession(
    commands: readonly string[],
    more: Parameters<typeof beginChat>[1],
  ): Promise<ContractSession> {
    world.answers = commands.map((command) => ({ text: `CMD: ${command}` }));
    const session = await beginChat(world, more);
    await session.run();
    return session;
  }
  const pendingOf = ({ sessionId }: ContractSession) =>
    listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });

  it('a trusted chat runs undoable commands one after another without asking, and holds their changes', async () => {
    const session = await runSession(['mkdir a', 'cp b a/b', 'rm -rf a', 'ls'], TRUSTED);
    expect(await pendingOf(session)).toEqual([]);
    expect(world.sandbox.ran).toEqual(['mkdir a', 'cp b a/b', 'rm -rf a', 'ls']);
    expect(world.sandbox.holds).toEqual(['must', 'must', 'must', 'may']);
    const [first] = await listActions(world.db.statements, session.sessionId);
    expect(first).toMatchObject({ state: 'finished', classification: { verdict: 'safe', held: true } });
  });

  it('a trusted chat continues by itself up to its limit of steps', async () => {
    const many = Array.from({ length: 9 }, (_, n) => `mkdir a${n}`);
    const session = await runSession(many, { ...TRUSTED, maxToolDepth: 2, maxChatSteps: 4 });
    expect(world.sandbox.ran).toEqual(many.slice(0, 4));
    const turns = await listTurns(world.db.statements, session.sessionId);
    expect(turns.at(-1)?.content).toBe(depthTurn.content);
  });

  it.each([
    ['an admin does not allow more than ask', { ...TRUSTED, trustMax: 'ask' }, UNDOABLE],
    ['the changes of the command cannot be undone', TRUSTED, HOME],
    ['nobody set the trust to undoable', { ...TRUSTED, trust: 'ask' }, UNDOABLE],
  ] as const)('a chat asks before a command that does more than read if %s', async (_where, chosen, around) => {
    world.sandbox.nextContext = around;
    const session = await runSession(['mkdir a'], chosen);
    expect(await pendingOf(session)).toMatchObject([{ kind: 'command', action: 'mkdir a' }]);
    expect(world.sandbox.ran).toEqual([]);
  });

  it.each(['rm a; curl -X DELETE http://nas/x', 'git push --force'])(
    'a trusted chat asks about a command that may affect more than its workspace: %s',
    async (command) => {
      expect(await pendingOf(await runSession([command], TRUSTED))).toMatchObject([{ action: command }]);
      expect(world.sandbox.ran).toEqual([]);
    },
  );

  it('a chat does not ask about read-only commands, unless confirmReads is on', async () => {
    const asks = { confirmCommands: true } as const;
    expect(await pendingOf(await runSession(['ls -l'], asks))).toEqual([]);
    expect(world.sandbox.ran).toEqual(['ls -l']);
    expect(await pendingOf(await runSession(['ls -l'], { ...asks, confirmReads: true }))).toMatchObject([
      { action: 'ls -l' },
    ]);
  });

  it.each([
    ['after commands that only read', ['ls -l', 'cat a', 'wc -l a'], {}, 4],
    ['until a command does more', ['ls -l', 'mkdir a', 'ls -l'], {}, 2],
    ['after no command if readsGoOn is off', ['ls -l', 'cat a'], { readsGoOn: false }, 1],
  ])('a chat continues by itself %s', async (_when, commands, more, answers) => {
    const session = await runSession(commands, { confirmCommands: false, autoContinue: false, ...more });
    const turns = await listTurns(world.db.statements, session.sessionId);
    expect(turns.filter(({ role }) => role === 'assistant')).toHaveLength(answers);
  });

  it('a grant in a chat covers the same command later in that chat, but not in another chat', async () => {
    world.sandbox.nextContext = HOME;
    const session = await runSession(['mkdir a', 'mkdir a'], { confirmCommands: true });
    const [asked] = await pendingOf(session);
    const grant = { scope: 'command', action: 'mkdir a', ruleId: null, carried: false, createdBy: 'p' } as const;
    const bound = { binding: asked?.binding ?? '', id: randomUUID() };
    await insertGrant(world.db.statements, { chatId: session.sessionId, ...grant, ...bound });
    await session.decide('proceed');
    await session.run();
    expect(await pendingOf(session)).toEqual([]);
    expect(world.sandbox.ran).toEqual(['mkdir a', 'mkdir a']);
    expect(await listGrants(world.db.statements, session.sessionId)).toMatchObject([{ goalId: null, uses: 1 }]);
    const other = await runSession(['mkdir a'], { confirmCommands: true });
    expect(await pendingOf(other)).toMatchObject([{ action: 'mkdir a' }]);
  });
});
