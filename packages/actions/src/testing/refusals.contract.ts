import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listDecisions } from '@aish/database/decisions.repository';
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
