import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startTestRedis, type TestRedis } from '@aish/queue/testing';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { closeAll } from '../support/close-all.js';
import { verifies } from '../requirements.js';
import { readEvents } from '../support/event-stream.js';
import { eventually } from '../support/eventually.js';
import { plan, plans } from '../support/plan.js';
import { Stack } from '../support/stack.js';
import { wakeCommand } from '../support/wake-command.js';

describe('aish with queue and bus on Redis', () => {
  let redis: TestRedis;
  let model: ScriptedModel;
  let stack: Stack;

  beforeAll(async () => {
    redis = await startTestRedis();
    model = await startScriptedModel({
      script: plans({
        main: plan({ text: 'Step by step.\nCMD: echo one', delayMs: 10 }, 'CMD: rm -rf x', 'GOAL: complete'),
        counting: plan(
          'CMD: echo ran >> log; sleep 60; wc -l < log',
          'CMD: echo ran >> log; wc -l < log',
          'GOAL: complete',
        ),
      }),
    });
    stack = await Stack.start({ modelUrl: model.url, redisUrl: redis.url, workers: 2, quickRecovery: true });
  }, 180_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => model?.close(),
        () => redis?.drop(),
      ),
    60_000,
  );

  it(
    verifies('main-job.redis'),
    async () => {
      const { id, sessionId } = await stack.client.createGoal('main');
      const watched = readEvents(stack.client, sessionId, ({ events }) =>
        events.some(({ body }) => body.type === 'goal.changed' && body.state === 'done'),
      );
      await stack.client.decide((await stack.client.decisionOf(id)).number, 'proceed');
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map((action) => action.outcome?.exitCode)).toEqual([0, 0]);
      const { live } = await watched;
      expect(live.some((body) => body.type === 'model.delta')).toBe(true);
    },
    90_000,
  );

  it(
    verifies('goal.survives-kill', 'a goal runs with the queue on Redis'),
    async () => {
      const { id, sessionId } = await stack.client.createGoal('counting');
      await eventually('the command runs', () => stack.client.firstCommandRuns(id));
      await Promise.all(stack.workers.map((worker) => worker.kill('SIGKILL')));
      await Promise.all(stack.workers.map((worker) => worker.start()));
      await wakeCommand(sessionId);
      expect((await stack.client.until(id, 'done')).actions.map((action) => action.outcome?.output)).toEqual([
        '1\n',
        '2\n',
      ]);
    },
    120_000,
  );

  it(
    verifies(
      'goal.survives-kill',
      'the result of a command is recorded once Redis is back after a kill in the middle of the command',
    ),
    async () => {
      const { id, sessionId } = await stack.client.createGoal('counting');
      await eventually('the command runs', () => stack.client.firstCommandRuns(id));
      await redis.kill();
      await wakeCommand(sessionId);
      await redis.start();
      const goal = await stack.client.until(id, 'done');
      expect(goal.actions.map((action) => action.outcome?.output)).toEqual(['1\n', '2\n']);
      expect(stack.services.filter(({ isRunning }) => !isRunning)).toEqual([]);
    },
    120_000,
  );
});
