import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ExecutionContext } from '@aish/contracts/execution-context';
import { listDecisions } from '@aish/database/decisions.repository';
import type { Reply } from '@aish/demo-model';
import type { ContractKind, ContractSession } from './actions.contract.js';
import { HOME } from './fake.sandbox.js';
import { openWorld, type World } from './world.js';

const VARIABLES_DIGEST = '2'.repeat(64);
const TRAPPED: ExecutionContext = {
  folder: '/workspace/proj',
  variables: [{ name: 'PATH', value: '/workspace/bin:/bin' }],
  digest: '1'.repeat(64),
  variablesDigest: VARIABLES_DIGEST,
};

const say = (text: string): Reply => ({ text });
const RING: Reply = { text: '', toolCalls: [{ name: 'lab__ring_bell', arguments: '{}' }] };

/** The contract of every runner of actions about verdicts: a verdict covers what was shown with it. */
export function approvalsContract({ name, waits, last, begin }: ContractKind): void {
  describe(`approvals in ${name}`, () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld();
      world.last = last;
    }, 120_000);
    afterAll(() => world?.close());
    beforeEach(() => {
      world.sandbox.ran.length = 0;
      world.sandbox.unpinned.length = 0;
      world.sandbox.previews.length = 0;
      world.sandbox.nextContext = HOME;
      world.sandbox.isUnavailable = false;
      world.tools.calls.length = 0;
      world.tools.words = 'Does';
    });

    async function runSession(...answers: readonly Reply[]): Promise<ContractSession> {
      world.answers = answers;
      const session = await begin(world);
      await session.run();
      return session;
    }
    const pendingOf = async ({ sessionId }: ContractSession) =>
      (await listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 }))[0];

    it('aish asks about every command with carried variables that change its meaning, and runs it without them', async () => {
      world.sandbox.nextContext = TRAPPED;
      const session = await runSession(say('CMD: ls'));
      expect(world.sandbox.ran).toEqual([]);
      expect(await pendingOf(session)).toMatchObject({
        action: 'ls',
        reason: 'earlier commands set variables that change its meaning: PATH',
        executionContext: TRAPPED,
        classification: { verdict: 'unknown' },
      });
      await session.decide('proceed');
      await session.run();
      expect([world.sandbox.ran, world.sandbox.unpinned]).toEqual([['ls'], []]);
    });

    it('an approved command runs with carried variables only if the person allows them', async () => {
      world.sandbox.nextContext = TRAPPED;
      const session = await runSession(say('CMD: ls'));
      await session.decide('proceed', undefined, { carried: true });
      await session.run();
      expect(world.sandbox.unpinned).toEqual(['ls']);
    });

    it('the sandbox gets a preview only if the newest verdict names it', async () => {
      const session = await runSession(say('CMD: rm -rf one'), say('CMD: rm -rf two'), say('CMD: rm -rf three'));
      const named = randomUUID();
      await session.decide('proceed', undefined, { preview: named });
      await session.run();
      await session.decide('proceed');
      await session.run();
      expect(world.sandbox.previews).toEqual([named, null]);
      world.sandbox.nextContext = TRAPPED;
      await session.decide('proceed', undefined, { preview: named });
      await session.run();
      // The execution context has changed, so aish asks again and names no files.
      await session.decide('proceed');
      await session.run();
      expect([world.sandbox.ran.at(-1), world.sandbox.previews]).toEqual(['rm -rf three', [named, null, null]]);
    });

    it('aish asks again if the folder or variables have changed since the question, and runs nothing until the answer', async () => {
      const session = await runSession(say('CMD: rm -rf keep'));
      expect(await pendingOf(session)).toMatchObject({ executionContext: HOME });
      world.sandbox.nextContext = TRAPPED;
      await session.decide('proceed');
      await session.run();
      expect(world.sandbox.ran).toEqual([]);
      expect(await pendingOf(session)).toMatchObject({
        reason: expect.stringMatching(/^the folder, the variables or the files changed since you were asked: /),
        executionContext: TRAPPED,
      });
      await session.decide('proceed');
      await session.run();
      expect([world.sandbox.ran, world.sandbox.unpinned]).toEqual([['rm -rf keep'], []]);
    });

    if (waits) {
      it('granted variables apply to safe commands in any folder until the variables change', async () => {
        world.sandbox.nextContext = TRAPPED;
        const commands = ['ls', 'ls src', 'rm -rf keep', 'cat x', 'rm -rf other', 'cat y'];
        const session = await runSession(...commands.map((command) => say(`CMD: ${command}`)));
        await session.decide('proceed', undefined, { carried: true, granted: 'variables' });
        await session.run();
        expect(world.sandbox.unpinned).toEqual(['ls', 'ls src']);
        // aish still asks about commands that their text stops.
        expect(await pendingOf(session)).toMatchObject({
          action: 'rm -rf keep',
          classification: { verdict: 'destructive' },
        });
        world.sandbox.nextContext = { ...TRAPPED, folder: '/workspace/other', digest: '3'.repeat(64) };
        await session.decide('skip');
        await session.run();
        expect(world.sandbox.unpinned).toEqual(['ls', 'ls src', 'cat x']);
        world.sandbox.nextContext = { ...TRAPPED, digest: '4'.repeat(64), variablesDigest: '5'.repeat(64) };
        await session.decide('skip');
        await session.run();
        expect(await pendingOf(session)).toMatchObject({ action: 'cat y', classification: { verdict: 'unknown' } });
      });
      it('while the sandbox is unavailable, aish asks about the text alone, and later again with the context', async () => {
        world.sandbox.isUnavailable = true;
        const session = await runSession(say('CMD: rm -rf keep'));
        expect(await pendingOf(session)).toMatchObject({
          action: 'rm -rf keep',
          reason: expect.stringMatching(/; the sandbox is unavailable, so you will be asked again$/),
          executionContext: null,
        });
        await session.decide('proceed');
        setTimeout(() => (world.sandbox.isUnavailable = false), 700);
        await session.run();
        expect([await pendingOf(session), world.sandbox.ran]).toMatchObject([{ executionContext: HOME }, []]);
        await session.decide('proceed');
        await session.run();
        expect(world.sandbox.ran).toEqual(['rm -rf keep']);
      });

      it('a safe command waits for an unavailable sandbox', async () => {
        world.sandbox.isUnavailable = true;
        setTimeout(() => (world.sandbox.isUnavailable = false), 700);
        const session = await runSession(say('CMD: ls'));
        expect([await pendingOf(session), world.sandbox.ran]).toEqual([undefined, ['ls']]);
      });
    }

    it('aish asks again if an approval has no execution context', async () => {
      const session = await runSession(say('CMD: rm -rf keep'));
      await world.db.statements.$executeRaw`
        update decisions set execution_context = null where session_id = ${session.sessionId}::uuid`;
      await session.decide('proceed');
      await session.run();
      expect(world.sandbox.ran).toEqual([]);
      expect(await pendingOf(session)).toMatchObject({
        reason: expect.stringMatching(/^it is unknown in which folder this was approved: /),
        executionContext: HOME,
      });
    });

    it('aish asks again if the server changes the description of an approved tool', async () => {
      const session = await runSession(RING);
      world.tools.words = 'Melts';
      await session.decide('proceed');
      await session.run();
      expect(world.tools.calls).toEqual([]);
      expect(await pendingOf(session)).toMatchObject({
        reason: expect.stringMatching(/^its server has changed the description of the tool since you were asked/),
        context: expect.stringContaining('| Melts ring_bell.'),
      });
      await session.decide('proceed');
      await session.run();
      expect(world.tools.calls).toEqual(['ring_bell']);
    });
  });
}
