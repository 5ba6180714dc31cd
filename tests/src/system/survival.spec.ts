import { describe, expect, it } from '@jest/globals';
import { advanceGoal } from '@aish/contracts/jobs';
import { openQueue } from '@aish/queue';
import { verifies } from '../requirements.js';
import { eventually } from '../support/eventually.js';
import { plan, plans, slowWords } from '../support/plan.js';
import { scriptedStack } from '../support/scripted-stack.js';
import { wakeCommand } from '../support/wake-command.js';

describe('goals whose processes are killed', () => {
  const running = scriptedStack(
    plans({
      counting: plan(
        'CMD: echo ran >> log; sleep 60; wc -l < log',
        'CMD: echo ran >> log; wc -l < log',
        'GOAL: complete',
      ),
      steered: plan(
        'CMD: sleep 60; echo slept',
        { text: `${slowWords(60)}\nGOAL: complete\nall of it`, delayMs: 50 },
        'CMD: rm -rf keep',
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
    verifies('goal.survives-kill', 'a run is taken over and not repeated after a kill in the middle of its command'),
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
    verifies(
      'goal.survives-kill',
      'a goal continues after its worker and sandbox are killed in the middle of a command',
    ),
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
    verifies('goal.steer'),
    async () => {
      const { client } = running.stack;
      const { id, sessionId } = await client.createGoal('steered');
      const say = async (text: string) => {
        const response = await client.request('POST', `/v1/sessions/${sessionId}/messages`, { text });
        expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('goal.said')]);
      };
      const promptOf = (step: number) =>
        running.model.requests
          .filter(({ messages }) => messages[1]?.content.startsWith('steered'))
          .find(({ messages }) => messages.filter(({ role }) => role === 'assistant').length === step - 1)
          ?.messages.map(({ content }) => content)
          .join('\n\n');
      await eventually('the command runs', () => client.firstCommandRuns(id));
      await say('skip the second half');
      await killAllWorkers();
      await Promise.all(running.stack.workers.map((worker) => worker.start()));
      await wakeCommand(sessionId);
      // The model is in the middle of its last answer, which does not end the goal now.
      await eventually('the model answers', async () => (await client.goal(id)).steps.length === 2);
      await say('and delete keep');
      const { number } = await client.decisionOf(id);
      expect(promptOf(2)).toContain('exit code 0\n| slept\n\n[aish] The user says:\nskip the second half');
      expect(promptOf(3)).toContain('all of it\n\n[aish] The user says:\nand delete keep');
      await say('proceed');
      expect((await client.goal(id)).state).toBe('halted');
      await client.decide(number, 'skip');
      expect(await client.until(id, 'done')).toMatchObject({ stepsTaken: 4 });
      expect(promptOf(4)).toContain('[aish] action skipped by user: rm -rf keep\n\n[aish] The user says:\nproceed');
    },
    120_000,
  );

  it(
    verifies('goal.survives-kill', 'a step whose answer was interrupted by a kill is requested again and counted once'),
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
    verifies('goal.second-runner', 'twenty jobs for one goal on two workers run each command once'),
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

  it('workers that are stopped during a goal exit with 0, and the goal continues after their next start', async () => {
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
