import { describe, expect, it } from '@jest/globals';
import { advanceGoal } from '@aish/contracts/jobs';
import { openQueue } from '@aish/queue';
import { verifies } from '../requirements.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { wakeCommand } from '../support/wake-command.js';

describe('goals and processes that are killed', () => {
  const running = scriptedStack(
    plans({
      counting: plan(
        'CMD: echo ran >> log; sleep 60; wc -l < log',
        'CMD: echo ran >> log; wc -l < log',
        'GOAL: complete',
      ),
      halting: plan('CMD: touch keep', 'CMD: rm -rf keep', 'CMD: ls', 'GOAL: complete'),
      thinking: plan({ text: `${'hm '.repeat(40)}\nCMD: echo thought`, delayMs: 50 }, 'GOAL: complete'),
    }),
    { workers: 2, quickRecovery: true },
  );

  const [first, second] = [0, 1];
  async function killAllWorkers(): Promise<void> {
    await Promise.all(running.stack.workers.map((worker) => worker.kill('SIGKILL')));
  }

  it(
    verifies('goal.survives-kill', 'killed in the middle of a command: the run is taken over, not repeated'),
    async () => {
      const { id, sessionId } = await running.stack.client.createGoal('counting');
      await eventually('the command runs', () => running.stack.client.firstCommandRuns(id));
      await killAllWorkers();
      await running.stack.workers[first]?.start();
      await wakeCommand(sessionId);
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions.map((action) => action.outcome?.output)).toEqual(['1\n', '2\n']);
      expect(goal.stepsTaken).toBe(3);
      await running.stack.workers[second]?.start();
    },
    120_000,
  );

  it(
    verifies('goal.survives-kill', 'worker and sandbox killed in the middle of a command'),
    async () => {
      const { id, sessionId } = await running.stack.client.createGoal('counting, both');
      await eventually('the command runs', () => running.stack.client.firstCommandRuns(id));
      await Promise.all([running.stack.sandbox.kill('SIGKILL'), killAllWorkers()]);
      await running.stack.sandbox.start();
      await Promise.all(running.stack.workers.map((worker) => worker.start()));
      await wakeCommand(sessionId);
      const goal = await running.stack.client.until(id, 'done');
      const printed = goal.actions.map((action) => action.outcome?.output);
      expect(printed).toEqual(['1\n', '2\n']);
    },
    120_000,
  );

  it(
    verifies('goal.survives-kill', 'killed while the model talks: the step is asked again and counted once'),
    async () => {
      const { id } = await running.stack.client.createGoal('thinking');
      await eventually('the model talks', async () => (await running.stack.client.goal(id)).steps.length === 1);
      await killAllWorkers();
      await Promise.all(running.stack.workers.map((worker) => worker.start()));
      const goal = await running.stack.client.until(id, 'done');
      expect([goal.stepsTaken, goal.steps.length]).toEqual([2, 2]);
    },
    120_000,
  );

  it(
    verifies('halt.survives-restart'),
    async () => {
      const { id } = await running.stack.client.createGoal('halting');
      const { number } = await running.stack.client.decisionOf(id);
      await Promise.all(running.stack.services.map((service) => service.kill('SIGKILL')));
      for (const service of [running.stack.sandbox, running.stack.api, ...running.stack.workers]) await service.start();
      expect((await running.stack.client.pendingDecisions()).map((decision) => decision.number)).toContain(number);
      await running.stack.client.decide(number, 'proceed');
      const goal = await running.stack.client.until(id, 'done');
      expect(goal.actions.map((action) => [action.state, action.outcome?.exitCode])).toEqual([
        ['finished', 0],
        ['finished', 0],
        ['finished', 0],
      ]);
      expect(goal.actions[2]?.outcome?.output).toBe('');
    },
    120_000,
  );

  it(
    verifies('goal.second-driver', 'twenty jobs for one goal on two workers run each command once'),
    async () => {
      const queue = await openQueue({ databaseUrl: running.stack.database.url });
      try {
        const { id, sessionId } = await running.stack.client.createGoal('counting, crowded');
        await eventually('the command runs', () => running.stack.client.firstCommandRuns(id));
        await Promise.all(Array.from({ length: 20 }, () => queue.add(advanceGoal, { goalId: id })));
        await eventually('a worker has taken each job', async () => (await queue.counts()).waiting === 0);
        await wakeCommand(sessionId);
        const goal = await running.stack.client.until(id, 'done');
        expect(goal.actions.map((action) => action.outcome?.output)).toEqual(['1\n', '2\n']);
        expect([goal.stepsTaken, goal.steps.length]).toEqual([3, 3]);
        await eventually('the other jobs find nothing to do', async () => {
          const { waiting, active } = await queue.counts();
          return waiting + active === 0;
        });
        expect((await running.stack.client.goal(id)).actions).toHaveLength(2);
      } finally {
        await queue.close();
      }
    },
    120_000,
  );

  it('stops a worker in good order while it drives, and another goes on', async () => {
    const { id, sessionId } = await running.stack.client.createGoal('counting, stop');
    await eventually('the command runs', () => running.stack.client.firstCommandRuns(id));
    const ends = await Promise.all(running.stack.workers.map((worker) => worker.kill('SIGTERM')));
    expect(ends).toEqual([0, 0]);
    await Promise.all(running.stack.workers.map((worker) => worker.start()));
    await wakeCommand(sessionId);
    const goal = await running.stack.client.until(id, 'done');
    expect(goal.actions.map((action) => action.outcome?.output)).toEqual(['1\n', '2\n']);
  }, 120_000);
});
