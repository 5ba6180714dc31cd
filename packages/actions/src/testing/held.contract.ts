import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AishError } from '@aish/contracts/problems';
import { listDecisions } from '@aish/database/decisions.repository';
import { listActions } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import type { Boundary } from '../boundaries.js';
import { settleLeft } from '../held.js';
import type { ContractKind, ContractSession } from './actions.contract.js';
import { DESTROYED, HOME } from './fake.sandbox.js';
import { openWorld, type World } from './world.js';

const PASSED: readonly Boundary[] = [
  'lock.held',
  'drive.loaded',
  'run.asked',
  'run.after',
  'settle.before',
  'settle.asked',
  'settle.after',
];

/** The contract of every runner of actions about a command that nobody approved and that destroyed existing files. */
export function heldContract({ name, last, begin }: ContractKind): void {
  describe(`held changes in ${name}`, () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld();
    }, 120_000);
    afterAll(() => world?.close());
    beforeEach(() => {
      world.last = last;
      world.at = () => undefined;
      world.sandbox.ran.length = 0;
      world.sandbox.settled.length = 0;
      world.sandbox.holds.length = 0;
      world.sandbox.nextContext = HOME;
      world.sandbox.isInUse = false;
      world.answers = [{ text: 'CMD: destroy it' }];
    });

    const actionsOf = ({ sessionId }: ContractSession) => listActions(world.db.statements, sessionId);
    const pendingOf = async ({ sessionId }: ContractSession) =>
      listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
    const noticesIn = async ({ sessionId }: ContractSession) =>
      (await listTurns(world.db.statements, sessionId)).map(({ content }) => content).join('\n');
    function killAt(boundary: Boundary): void {
      let isLeft = true;
      world.at = (each) => {
        if (each !== boundary || !isLeft) return;
        isLeft = false;
        throw new AishError('lock_lost', 'killed here');
      };
    }
    async function asked(): Promise<ContractSession> {
      const session = await begin(world);
      await session.run();
      return session;
    }

    it('a decision about held changes lists them, and the model sees the result only after the verdict', async () => {
      const session = await asked();
      const [question, ...others] = await pendingOf(session);
      expect(others).toEqual([]);
      expect(question).toMatchObject({
        action: 'destroy it',
        reason: 'it deleted 1 file (9 B) that were there before',
        difference: { held: DESTROYED },
      });
      expect(await actionsOf(session)).toMatchObject([{ state: 'halted', outcome: { held: { verdict: 'waiting' } } }]);
      expect(world.sandbox.settled).toEqual([]);
      expect(await noticesIn(session)).not.toContain('[exec] $ destroy it');
      await session.decide('proceed', undefined, { message: 'only this once' });
      await session.run();
      expect(world.sandbox.settled).toEqual(['keep']);
      expect(await noticesIn(session)).toContain('[aish] The user says:\nonly this once');
      expect(await actionsOf(session)).toMatchObject([{ state: 'finished', outcome: { held: { verdict: 'kept' } } }]);
      expect(await noticesIn(session)).toContain('a person looked at it and kept it');
    });

    it('the verdict skip rolls held changes back', async () => {
      const session = await asked();
      await session.decide('skip');
      await session.run();
      expect([world.sandbox.ran, world.sandbox.settled]).toEqual([['destroy it'], ['drop']]);
      expect(await noticesIn(session)).toContain('The workspace is as it was before this command');
    });

    it('held changes are rolled back if the session ends before anybody decides', async () => {
      const session = await asked();
      await session.decide('abort');
      expect(await actionsOf(session)).toMatchObject([{ state: 'skipped' }]);
      await settleLeft(world.db, world.sandbox, AbortSignal.timeout(5_000));
      expect(world.sandbox.settled).toEqual(['drop']);
      expect(await actionsOf(session)).toMatchObject([
        { state: 'finished', outcome: { held: { verdict: 'dropped' } } },
      ]);
      await settleLeft(world.db, world.sandbox, AbortSignal.timeout(5_000));
      expect(world.sandbox.settled).toEqual(['drop']);
    });

    it.each([
      ['echo hi > new', 'redirect.overwrite'],
      ['sed -i s/a/b/ notes', 'edit.in-place'],
      ['rm notes', 'files.remove'],
      ['eval "$X"', 'unresolved.command-name'],
    ])('%s runs without a question if all its changes are held', async (command, ruleId) => {
      world.answers = [{ text: `CMD: ${command}` }];
      world.sandbox.nextContext = { ...HOME, undoable: true };
      const session = await asked();
      expect(await pendingOf(session)).toEqual([]);
      expect([world.sandbox.ran, world.sandbox.holds]).toEqual([[command], ['must']]);
      expect(await actionsOf(session)).toMatchObject([{ state: 'finished', classification: { ruleId, held: true } }]);
    });

    it.each([
      ['its workspace has no layers, or the command has more access', HOME],
      ['earlier commands set variables', { ...HOME, undoable: true, variables: [{ name: 'PATH', value: '/x' }] }],
    ] as const)('aish asks before a command runs if %s', async (_where, around) => {
      world.answers = [{ text: 'CMD: echo hi > new' }];
      world.sandbox.nextContext = { ...around, variables: [...around.variables] };
      expect(await pendingOf(await asked())).toMatchObject([{ difference: null }]);
      expect(world.sandbox.ran).toEqual([]);
    });

    it.each(['rm -rf copies', 'kill -9 1', 'sed -i s/a/b/ f; dropdb shop'])(
      'aish asks before it runs %s, even if all its changes are held',
      async (command) => {
        world.answers = [{ text: `CMD: ${command}` }];
        world.sandbox.nextContext = { ...HOME, undoable: true };
        expect(await pendingOf(await asked())).toMatchObject([{ action: command, difference: null }]);
        expect(world.sandbox.ran).toEqual([]);
      },
    );

    it('aish asks about a command if its changes turn out not to be undoable', async () => {
      world.answers = [{ text: 'CMD: echo hi > new' }];
      world.sandbox.nextContext = { ...HOME, undoable: true };
      // This looks as if the network had been opened between the check and the start.
      world.at = (boundary) => {
        if (boundary === 'run.before') world.sandbox.nextContext = HOME;
      };
      const session = await asked();
      expect(world.sandbox.ran).toEqual([]);
      expect(await pendingOf(session)).toMatchObject([
        { reason: expect.stringContaining('could no longer be undone') },
      ]);
      await session.decide('proceed');
      await session.run();
      expect([world.sandbox.ran, world.sandbox.holds]).toEqual([['echo hi > new'], ['note']]);
    });

    it('aish also asks about a harmless command if its changes cannot be held, with the reason', async () => {
      world.answers = [{ text: 'CMD: echo one' }];
      world.sandbox.isInUse = true;
      const session = await asked();
      expect(world.sandbox.ran).toEqual([]);
      expect(await pendingOf(session)).toMatchObject([{ reason: 'its changes could no longer be undone' }]);
      await session.decide('proceed');
      await session.run();
      expect([world.sandbox.ran, world.sandbox.holds]).toEqual([['echo one'], ['note']]);
    });

    it('aish checks the changes of every command, except those of an approved one', async () => {
      world.answers = [{ text: 'CMD: echo one' }, { text: 'CMD: rm x' }];
      const session = await asked();
      await session.decide('proceed');
      await session.run();
      expect(world.sandbox.holds).toEqual(['may', 'note']);
    });

    it.each(PASSED)(
      'aish asks, runs and settles once if the runner of held changes is killed at %s',
      async (boundary) => {
        const session = await begin(world);
        for (const verdict of ['proceed', null] as const) {
          killAt(boundary);
          await session.run();
          await session.run();
          world.at = () => undefined;
          await session.run();
          if (verdict === null) break;
          expect(await pendingOf(session)).toHaveLength(1);
          await session.decide(verdict);
        }
        expect([world.sandbox.ran, world.sandbox.settled]).toEqual([['destroy it'], ['keep']]);
        expect(await actionsOf(session)).toMatchObject([{ state: 'finished', outcome: { held: { verdict: 'kept' } } }]);
      },
    );
  });
}
