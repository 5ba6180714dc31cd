import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { listDecisions } from '@aish/database/decisions.repository';
import { listTurns } from '@aish/database/turns.repository';
import type { ContractKind, ContractSession } from './actions.contract.js';
import { HOME } from './fake.sandbox.js';
import { openWorld, type World } from './world.js';

const WORDS = 'do not delete the logs';
const QUOTE = `You refused this at step 1: "${WORDS}".`;

/** The contract of every runner of actions about refusals. */
export function refusalsContract({ name, waits, last, begin }: ContractKind): void {
  describe(`refusals in ${name}`, () => {
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
      world.sandbox.nextContext = HOME;
      world.sandbox.isInUse = false;
    });

    const pendingOf = async ({ sessionId }: ContractSession) =>
      listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
    async function runSession(...commands: readonly string[]): Promise<ContractSession> {
      world.answers = commands.map((command) => ({ text: `CMD: ${command}` }));
      const session = await begin(world);
      await session.run();
      return session;
    }
    /** Settles held changes, because otherwise the next command would wait for them. */
    const settle = async (session: ContractSession): Promise<void> => {
      await session.decide('instead');
      await session.run();
    };
    const heldAgainst = () => world.sandbox.asked.at(-1)?.refusals ?? [];

    it('a refusal of held changes protects the listed paths until a verdict allows them again', async () => {
      const session = await runSession('destroy it', 'destroy it otherwise', 'echo three');
      await session.decide('skip', undefined, { message: WORDS });
      await session.run();
      expect(heldAgainst()).toEqual([{ step: 1, words: WORDS, paths: ['/workspace/logs/a.log'], lifted: [] }]);
      expect(await pendingOf(session)).toMatchObject([{ reason: expect.stringContaining(QUOTE) }]);
      await session.decide('proceed');
      await session.run();
      expect(world.sandbox.ran).toEqual(['destroy it', 'destroy it otherwise', 'echo three']);
      expect(heldAgainst()).toMatchObject([{ lifted: ['/workspace/logs/a.log'] }]);
    });

    it('a refused command protects the paths in its text, and the next decision about them quotes the refusal', async () => {
      const session = await runSession('rm -rf logs', 'echo two', 'rm logs/a.log', 'echo four');
      await session.decide('skip', undefined, { message: WORDS });
      await session.run();
      expect(heldAgainst()).toMatchObject([{ step: 1, words: WORDS, paths: ['/workspace/logs'], lifted: [] }]);
      expect(await pendingOf(session)).toMatchObject([
        { action: 'rm logs/a.log', reason: expect.stringContaining(QUOTE) },
      ]);
      await session.decide('proceed');
      await session.run();
      expect(heldAgainst()).toMatchObject([{ lifted: ['/workspace/logs/a.log'] }]);
    });

    it('a refused tool call protects the paths in its arguments from commands, too', async () => {
      world.answers = [
        { text: '', toolCalls: [{ name: 'lab__ring_bell', arguments: '{"path":"logs/a.log"}' }] },
        { text: 'CMD: echo on' },
      ];
      const session = await begin(world);
      await session.run();
      await session.decide('skip', undefined, { message: WORDS });
      await session.run();
      expect(world.sandbox.ran).toEqual(['echo on']);
      expect(heldAgainst()).toEqual([{ step: 1, words: WORDS, paths: ['/workspace/logs/a.log'], lifted: [] }]);
    });

    it('aish asks about a refused command again, even if it only reads', async () => {
      const variables = [{ name: 'PATH', value: '/workspace/bin' }];
      world.at = (boundary) => {
        if (boundary === 'classify.after') world.sandbox.nextContext = HOME;
      };
      world.sandbox.nextContext = { ...HOME, variables };
      const session = await runSession('cat secrets', 'cat secrets', 'echo three');
      await session.decide('skip', undefined, { message: WORDS });
      await session.run();
      expect(await pendingOf(session)).toMatchObject([
        { action: 'cat secrets', reason: expect.stringContaining(QUOTE) },
      ]);
    });

    it('a command that only reads refused files runs without a decision', async () => {
      const session = await runSession('rm -rf logs', 'cat logs/a.log', 'rm logs/a.log', 'echo four');
      await session.decide('skip', undefined, { message: WORDS });
      await session.run();
      expect(world.sandbox.ran).toEqual(['cat logs/a.log']);
      expect(await pendingOf(session)).toMatchObject([{ action: 'rm logs/a.log' }]);
    });

    if (waits) {
      it('a granted rule does not cover what a person refused, if no layer holds its changes', async () => {
        const session = await runSession('rm -rf logs', 'rm -rf build', 'rm -rf cache', 'rm -rf logs/a.log');
        await session.decide('skip', undefined, { message: WORDS });
        await session.run();
        await session.decide('proceed', undefined, { granted: 'rule' });
        await session.run();
        expect(world.sandbox.ran).toEqual(['rm -rf build', 'rm -rf cache']);
        expect(await pendingOf(session)).toMatchObject([
          { action: 'rm -rf logs/a.log', reason: expect.stringContaining(QUOTE) },
        ]);
      });
    }

    it('a decision about a refused command quotes the refusal even if the command names no path', async () => {
      const session = await runSession('reboot', 'reboot');
      await session.decide('skip', undefined, { message: WORDS });
      await session.run();
      expect(await pendingOf(session)).toMatchObject([{ action: 'reboot', reason: expect.stringContaining(QUOTE) }]);
    });

    it('the verdict *not this way* on held changes protects none of them, and the model learns that', async () => {
      const session = await runSession('destroy it', 'destroy it otherwise', 'echo three');
      await session.decide('instead', undefined, { message: 'use port 8081' });
      await session.run();
      expect(world.sandbox.settled.at(-1)).toBe('drop');
      expect(heldAgainst()).toEqual([]);
      const [question] = await pendingOf(session);
      expect(question).toMatchObject({ action: 'destroy it otherwise' });
      expect(question?.reason).not.toContain('You refused');
      const texts = (await listTurns(world.db.statements, session.sessionId)).map(({ content }) => content);
      expect(texts).toContainEqual(expect.stringMatching(/Nothing is forbidden: find another way\.\nuse port 8081$/));
      await settle(session);
    });

    it('the verdict *not this way* on an action protects no path in its text', async () => {
      const session = await runSession('rm -rf logs', 'rm logs/a.log');
      await session.decide('instead');
      await session.run();
      const [question] = await pendingOf(session);
      expect(question?.action).toBe('rm logs/a.log');
      expect(question?.reason).not.toContain('You refused');
    });

    it('aish asks about three attempts after a refusal, and then refuses all further ones without asking', async () => {
      const session = await runSession(
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
        await session.run();
      }
      expect(await pendingOf(session)).toEqual([]);
      expect(world.sandbox.ran).toEqual(['destroy it', 'destroy it otherwise', 'echo on']);
      expect(world.sandbox.settled.slice(-2)).toEqual(['drop', 'drop']);
      const texts = (await listTurns(world.db.statements, session.sessionId)).map(({ content }) => content);
      expect(texts.filter((each) => each.includes('The user is not asked again'))).toHaveLength(2);
    });

    it('outside a closed workspace, aish also asks about three attempts and then refuses without asking', async () => {
      world.sandbox.nextContext = { ...HOME, undoable: false };
      const remove = (how: string) => `curl -X DELETE ${how} http://nas/logs/a`;
      const session = await runSession(...['-s', '-S', '-sS', '-f', '-fs', '-fS'].map(remove), 'echo on');
      for (const attempt of [undefined, 1, 2, 3]) {
        const [question] = await pendingOf(session);
        expect(question?.attempt).toBe(attempt);
        expect(question?.reason.includes('aish refuses every further attempt') ?? null).toBe(attempt === 3);
        await session.decide('skip');
        await session.run();
      }
      expect(await pendingOf(session)).toEqual([]);
      expect(world.sandbox.ran).toEqual(['echo on']);
    });

    it('outside a closed workspace, a person who allows the last of several scripts is not asked about scripts again', async () => {
      world.sandbox.nextContext = { ...HOME, undoable: false };
      const session = await runSession(
        'rm -rf build; python3 a.py',
        'rm build; bash b.sh',
        'rm -r build; make c',
        'rm build/x; perl d.pl',
        'rm old; bash e.sh',
      );
      for (const verdict of ['skip', 'skip', 'skip', 'proceed'] as const) {
        await session.decide(verdict);
        await session.run();
      }
      const [question] = await pendingOf(session);
      expect(question).toMatchObject({
        action: 'rm old; bash e.sh',
        reason: expect.not.stringContaining('You refused'),
      });
    });

    it('the verdict proceed on the last attempt allows all refused paths again', async () => {
      const session = await runSession(
        'rm -rf logs',
        'rm logs/b.log',
        'rm -r logs',
        'destroy it',
        'destroy it otherwise',
      );
      for (const verdict of ['skip', 'skip', 'skip', 'proceed'] as const) {
        await session.decide(verdict);
        await session.run();
      }
      expect(heldAgainst().flatMap(({ lifted }) => lifted)).toContain('/workspace/logs');
      await settle(session);
    });

    it('an unrelated action is not affected by a refusal', async () => {
      const session = await runSession('rm -rf logs', 'rm -rf build');
      await session.decide('skip', undefined, { message: WORDS });
      await session.run();
      const [question] = await pendingOf(session);
      expect(question?.action).toBe('rm -rf build');
      expect(question?.reason).not.toContain('You refused');
    });

    it('an approved command may change only the paths in its text', async () => {
      const session = await runSession('rm -rf build && ./fmt.sh');
      await session.decide('proceed');
      await session.run();
      expect(world.sandbox.asked).toMatchObject([{ mode: 'note', named: ['build'] }]);
    });

    it('aish recommends a preview only if the text does not say what will change', async () => {
      world.sandbox.nextContext = { ...HOME, undoable: true };
      const session = await runSession('rm -rf build && ./fmt.sh', 'rm -rf build');
      const reasons: (string | undefined)[] = [];
      for (const verdict of ['instead', 'instead'] as const) {
        reasons.push((await pendingOf(session))[0]?.reason);
        await session.decide(verdict);
        await session.run();
      }
      expect(reasons[0]).toContain('; the command does not show what ./fmt.sh will change. Preview it first');
      expect(reasons[1]).not.toContain('preview');
    });

    it('aish asks about an approved command that changed more than its text says', async () => {
      world.sandbox.nextContext = { ...HOME, undoable: true };
      const session = await runSession('rm -rf build && destroy beyond');
      await session.decide('proceed');
      await session.run();
      expect(await pendingOf(session)).toMatchObject([{ reason: 'it also deleted logs/a.log' }]);
      await session.decide('skip');
      await session.run();
      expect(world.sandbox.settled.at(-1)).toBe('drop');
    });
  });
}
