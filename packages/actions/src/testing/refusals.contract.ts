import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listDecisions } from '@aish/database/decisions.repository';
import { listTurns } from '@aish/database/turns.repository';
import type { ContractKind, ContractSession } from './actions.contract.js';
import { HOME } from './fake.sandbox.js';
import { openWorld, type World } from './world.js';

const WORDS = 'do not delete the logs';
const QUOTE = `You refused this at step 1: "${WORDS}".`;

/** What every driver of actions promises of what a person refused. */
export function refusalsContract({ name, last, begin }: ContractKind): void {
  describe(`refusals, of ${name}`, () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld();
    }, 120_000);
    afterAll(() => world?.close());
    beforeEach(() => {
      world.last = last;
      world.at = () => undefined;
      world.sandbox.ran.length = 0;
      world.sandbox.asked.length = 0;
      world.sandbox.around = HOME;
      world.sandbox.isInUse = false;
    });

    const pendingOf = async ({ sessionId }: ContractSession) =>
      listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
    async function driven(...commands: readonly string[]): Promise<ContractSession> {
      world.answers = commands.map((command) => ({ text: `CMD: ${command}` }));
      const session = await begin(world);
      await session.drive();
      return session;
    }
    /** Nothing is left held, which the next command would wait for. */
    const settle = async (session: ContractSession): Promise<void> => {
      await session.decide('instead');
      await session.drive();
    };
    const heldAgainst = () => world.sandbox.asked.at(-1)?.refusals ?? [];

    it('holds what a refused question listed, quotes the refusal, and lets it go by once a person proceeds', async () => {
      const session = await driven('destroy it', 'destroy it otherwise', 'echo three');
      await session.decide('skip', undefined, { message: WORDS });
      await session.drive();
      expect(heldAgainst()).toEqual([{ step: 1, words: WORDS, paths: ['/workspace/logs/a.log'], lifted: [] }]);
      expect(await pendingOf(session)).toMatchObject([{ reason: expect.stringContaining(QUOTE) }]);
      await session.decide('proceed');
      await session.drive();
      expect(world.sandbox.ran).toEqual(['destroy it', 'destroy it otherwise', 'echo three']);
      expect(heldAgainst()).toMatchObject([{ lifted: ['/workspace/logs/a.log'] }]);
    });

    it('holds what the words of a refused command name, and quotes the refusal when it is asked about again', async () => {
      const session = await driven('rm -rf logs', 'echo two', 'rm logs/a.log', 'echo four');
      await session.decide('skip', undefined, { message: WORDS });
      await session.drive();
      expect(heldAgainst()).toMatchObject([{ step: 1, words: WORDS, paths: ['/workspace/logs'], lifted: [] }]);
      expect(await pendingOf(session)).toMatchObject([
        { action: 'rm logs/a.log', reason: expect.stringContaining(QUOTE) },
      ]);
      await session.decide('proceed');
      await session.drive();
      expect(heldAgainst()).toMatchObject([{ lifted: ['/workspace/logs/a.log'] }]);
    });

    it('quotes the refusal of the very same command also where it names no path', async () => {
      const session = await driven('reboot', 'reboot');
      await session.decide('skip', undefined, { message: WORDS });
      await session.drive();
      expect(await pendingOf(session)).toMatchObject([{ action: 'reboot', reason: expect.stringContaining(QUOTE) }]);
    });

    it('protects nothing by *not this way*, and tells the model that nothing is forbidden', async () => {
      const session = await driven('destroy it', 'destroy it otherwise', 'echo three');
      await session.decide('instead', undefined, { message: 'use port 8081' });
      await session.drive();
      expect(world.sandbox.settled.at(-1)).toBe('drop');
      expect(heldAgainst()).toEqual([]);
      const [question] = await pendingOf(session);
      expect(question).toMatchObject({ action: 'destroy it otherwise' });
      expect(question?.reason).not.toContain('You refused');
      const told = (await listTurns(world.db.statements, session.sessionId)).map(({ content }) => content);
      expect(told).toContainEqual(expect.stringMatching(/Nothing is forbidden: find another way\.\nuse port 8081$/));
      await settle(session);
    });

    it('protects nothing that the words of an action name by *not this way*', async () => {
      const session = await driven('rm -rf logs', 'rm logs/a.log');
      await session.decide('instead');
      await session.drive();
      const [question] = await pendingOf(session);
      expect(question?.action).toBe('rm logs/a.log');
      expect(question?.reason).not.toContain('You refused');
    });

    it('asks about three attempts, the last time for all further ones, which it then refuses unasked', async () => {
      const session = await driven(
        'rm -rf logs',
        'rm logs/a.log',
        'rm logs/*',
        'destroy it',
        'rm -r logs',
        'destroy it otherwise',
        'echo on',
      );
      for (const attempt of [undefined, 1, 2, 3]) {
        const [question] = await pendingOf(session);
        expect(question?.attempt).toBe(attempt);
        expect(question?.reason.includes('aish refuses every further attempt') ?? null).toBe(attempt === 3);
        await session.decide('skip');
        await session.drive();
      }
      expect(await pendingOf(session)).toEqual([]);
      expect(world.sandbox.ran).toEqual(['destroy it', 'destroy it otherwise', 'echo on']);
      expect(world.sandbox.settled.slice(-2)).toEqual(['drop', 'drop']);
      const told = (await listTurns(world.db.statements, session.sessionId)).map(({ content }) => content);
      expect(told.filter((each) => each.includes('The user is not asked again'))).toHaveLength(2);
    });

    it('lets go on with all of it what a person allows at the last question', async () => {
      const session = await driven('rm -rf logs', 'rm logs/b.log', 'rm -r logs', 'destroy it', 'destroy it otherwise');
      for (const verdict of ['skip', 'skip', 'skip', 'proceed'] as const) {
        await session.decide(verdict);
        await session.drive();
      }
      expect(heldAgainst().flatMap(({ lifted }) => lifted)).toContain('/workspace/logs');
      await settle(session);
    });

    it('says nothing of a refusal to what has nothing to do with it', async () => {
      const session = await driven('rm -rf logs', 'rm -rf build');
      await session.decide('skip', undefined, { message: WORDS });
      await session.drive();
      const [question] = await pendingOf(session);
      expect(question?.action).toBe('rm -rf build');
      expect(question?.reason).not.toContain('You refused');
    });

    it('lets an approved command count for the paths that its words name, and no others', async () => {
      const session = await driven('rm -rf build && ./fmt.sh');
      await session.decide('proceed');
      await session.drive();
      expect(world.sandbox.asked).toMatchObject([{ mode: 'note', named: ['build'] }]);
    });

    it('recommends a preview of a command whose words do not tell what it will change, and of no other', async () => {
      world.sandbox.around = { ...HOME, undoable: true };
      const session = await driven('rm -rf build && ./fmt.sh', 'rm -rf build');
      const reasons: (string | undefined)[] = [];
      for (const verdict of ['instead', 'instead'] as const) {
        reasons.push((await pendingOf(session))[0]?.reason);
        await session.decide(verdict);
        await session.drive();
      }
      expect(reasons[0]).toContain('; the words do not tell what ./fmt.sh will change: preview it first');
      expect(reasons[1]).not.toContain('preview');
    });

    it('asks what became of an approved command that did more than its words say', async () => {
      world.sandbox.around = { ...HOME, undoable: true };
      const session = await driven('rm -rf build && destroy beyond');
      await session.decide('proceed');
      await session.drive();
      expect(await pendingOf(session)).toMatchObject([{ reason: 'it also deleted logs/a.log' }]);
      await session.decide('skip');
      await session.drive();
      expect(world.sandbox.settled.at(-1)).toBe('drop');
    });
  });
}
