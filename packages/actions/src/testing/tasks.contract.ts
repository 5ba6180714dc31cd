import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { AishError } from '@aish/contracts/problems';
import { listDecisions } from '@aish/database/decisions.repository';
import { listEvents } from '@aish/database/events.repository';
import { forgetTask, listLeftTasks } from '@aish/database/left-tasks.repository';
import { listActions } from '@aish/database/steps.repository';
import { listTurns } from '@aish/database/turns.repository';
import type { Boundary } from '../boundaries.js';
import type { ContractKind, ContractSession } from './actions.contract.js';
import { openWorld, type World } from './world.js';

const LOOKED: readonly Boundary[] = [
  'lock.held',
  'drive.loaded',
  'recover.before',
  'run.asked',
  'recover.after',
  'record.before',
  'record.after',
];

/** The contract of every runner of actions about a call that its server has turned into a task. */
export function tasksContract({ name, last, begin }: ContractKind): void {
  describe(`server tasks in ${name}`, () => {
    let world: World;

    beforeAll(async () => {
      world = await openWorld();
    }, 120_000);
    afterAll(() => world?.close());
    beforeEach(() => {
      world.last = last;
      world.at = () => undefined;
      world.tools.calls.length = 0;
      world.tools.looked.length = 0;
      world.tools.looks = ['goes on', 'goes on', 'stands'];
      world.answers = [{ text: '', toolCalls: [{ name: 'lab__build_house', arguments: '{}' }] }];
    });

    const actionsOf = ({ sessionId }: ContractSession) => listActions(world.db.statements, sessionId);
    const eventsOf = async ({ sessionId }: ContractSession) =>
      (await listEvents(world.db.statements, sessionId, 0, 500)).map(({ body }) => body);
    const resultsIn = async ({ sessionId }: ContractSession) =>
      (await listTurns(world.db.statements, sessionId))
        .filter(({ role }) => role === 'tool')
        .map((turn) => turn.content);
    /** Returns a session whose call a person has just approved. Nobody runs it yet. */
    async function approveCall(): Promise<ContractSession> {
      const session = await begin(world);
      await session.run();
      await session.decide('proceed');
      return session;
    }

    it('a server task is polled until it ends, and its call ends once with the result', async () => {
      const session = await approveCall();
      await session.run();
      expect(await actionsOf(session)).toMatchObject([{ state: 'finished', result: { text: 'house stands' } }]);
      expect((await actionsOf(session))[0]?.result).not.toHaveProperty('pending');
      expect([world.tools.calls, world.tools.looked]).toEqual([['build_house'], [[], [], []]]);
      expect(await resultsIn(session)).toEqual(['house stands']);
      const types = (await eventsOf(session)).map(({ type }) => type).filter((type) => type.startsWith('action.'));
      expect(types).toEqual(['action.classified', 'action.started', 'action.finished']);
    });

    it.each(LOOKED)('a call is never repeated if the runner is killed at %s during its task', async (boundary) => {
      const session = await approveCall();
      let passed = 0;
      world.at = (each) => {
        if (passed === 0 && each === 'run.after') passed = 1;
        else if (passed === 1 && each === 'record.after') passed = 2;
        else if (passed === 2 && each === boundary) {
          passed = 3;
          throw new AishError('lock_lost', 'killed here');
        }
      };
      // A chat stays with its call, so only the next runner sees the earlier events.
      for (let n = 0; n < 3; n += 1) await session.run();
      expect(await actionsOf(session)).toMatchObject([{ state: 'finished', result: { text: 'house stands' } }]);
      expect(world.tools.calls).toEqual(['build_house']);
      expect(await resultsIn(session)).toEqual(['house stands']);
    });

    it('a call is lost if the runner is killed before its task is recorded', async () => {
      const session = await approveCall();
      let isLeft = true;
      world.at = (each) => {
        if (each !== 'run.after' || !isLeft) return;
        isLeft = false;
        throw new AishError('lock_lost', 'killed here');
      };
      for (let n = 0; n < 2; n += 1) await session.run();
      expect(await actionsOf(session)).toMatchObject([{ state: 'lost', result: null }]);
      expect([world.tools.calls, world.tools.looked]).toEqual([['build_house'], []]);
      expect(await listLeftTasks(world.db.statements, 9)).toEqual([]);
    });

    it('a person is asked the question of a task, and the task gets the answer', async () => {
      world.tools.looks = ['asks', 'stands'];
      const session = await approveCall();
      await session.run();
      const { sessionId } = session;
      const asked = await listDecisions(world.db.statements, { sessionId, state: 'pending', limit: 9 });
      expect(asked).toMatchObject([{ kind: 'elicitation', action: 'Who?', reason: 'lab.build_house asks' }]);
      await session.decide('proceed', { name: 'Ada' });
      await session.run();
      expect(world.tools.looked).toEqual([[], ['name']]);
      expect(world.tools.calls).toEqual(['build_house']);
      expect(await actionsOf(session)).toMatchObject([{ state: 'finished', result: { text: 'house stands' } }]);
    });

    it('the task of a lost call is listed until aish forgets it', async () => {
      world.tools.looks = ['asks'];
      const session = await approveCall();
      await session.run();
      const [action] = await actionsOf(session);
      const id = action?.id ?? '';
      expect(await listLeftTasks(world.db.statements, 9)).toEqual([]);
      await world.db.statements.$executeRaw`update actions set state = 'lost' where id = ${id}::uuid`;
      expect(await listLeftTasks(world.db.statements, 9)).toMatchObject([{ actionId: id, task: { taskId: 'house' } }]);
      await forgetTask(world.db.statements, id);
      expect(await listLeftTasks(world.db.statements, 9)).toEqual([]);
    });
  });
}
