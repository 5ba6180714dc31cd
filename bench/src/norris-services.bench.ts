import { setTimeout as pause } from 'node:timers/promises';
import { startTestRedis } from '@aish/queue/testing';
import { startScriptedModel } from '@aish/rehearsal';
import { eventually } from '@aish/tests/support/eventually';
import { plan, plans } from '@aish/tests/support/plan';
import type { Benchmark, Figures } from './benchmark.js';
import { overheads, readPassed } from './norris/passed.js';
import { withStack, type Aish } from './norris/with-stack.js';
import { now, percentile } from './statistics.js';

const STEPS = 12;
const GOALS = 3;
const CANCELS = 3;

/** What the driver adds to model and commands, and how soon a goal that is cancelled stops. */
export const benchmark: Benchmark = {
  name: 'norris-services',
  about:
    `Goals of ${STEPS} commands with a model that answers at once, on a durable Postgres, with queue and bus there or on Redis: time of a ` +
    'step that neither the model (as it sees it) nor the sandbox has. Then goals cancelled while their model talks, until it is left, ' +
    'and in a command, until the answer that has its outcome.',
  goals: {
    postgres_step_p50_ms: { op: '<=', value: 15 },
    redis_step_p50_ms: { op: '<=', value: 10 },
    cancel_mid_stream_max_ms: { op: '<=', value: 1_000 },
    cancel_mid_command_max_ms: { op: '<=', value: 1_000 },
  },
  async run(progress) {
    const steps = plan(...Array.from({ length: STEPS }, (_, n) => `CMD: echo ${n}`), 'GOAL: complete');
    const model = await startScriptedModel({
      script: plans({
        steps,
        sleeping: plan('CMD: sleep 60', 'GOAL: complete'),
        talking: () => ({ text: 'and so on '.repeat(5_000), delayMs: 5 }),
      }),
    });
    const redis = await startTestRedis();
    try {
      const onRedis = await withStack(model, redis.url, progress, async (aish) => stepsOf(aish, 'redis'));
      const onPostgres = await withStack(model, undefined, progress, async (aish) => ({
        ...(await stepsOf(aish, 'postgres')),
        ...(await cancels(aish)),
      }));
      return { ...onRedis, ...onPostgres };
    } finally {
      await redis.drop();
      await model.close();
    }
  },
};

async function stepsOf({ stack, model, dir, progress }: Aish, store: 'redis' | 'postgres'): Promise<Figures> {
  const samples: number[] = [];
  for (let round = 0; round <= GOALS; round += 1) {
    const text = `steps ${store} ${round}`;
    const { id } = await stack.client.createGoal(text);
    await stack.client.until(id, 'done');
    await pause(300); // what the worker writes now and then
    if (round === 0) continue; // warms up
    const asked = model.requests
      .filter(({ messages }) => messages[1]?.content === text)
      .map(({ at, endedAt }) => ({ from: at, to: endedAt ?? at }));
    samples.push(...overheads(readPassed(dir).get(id) ?? [], asked));
    progress(`${store}: goal ${round}/${GOALS}, p50 so far ${percentile(samples, 0.5).toFixed(1)} ms`);
  }
  return {
    [`${store}_step_p50_ms`]: percentile(samples, 0.5),
    [`${store}_step_p95_ms`]: percentile(samples, 0.95),
  };
}

async function cancels({ stack, model, progress }: Aish): Promise<Figures> {
  const inStream: number[] = [];
  const inCommand: number[] = [];
  const cancel = (id: string): Promise<Response> => stack.client.request('POST', `/v1/goals/${id}/cancel`);
  for (let round = 1; round <= CANCELS; round += 1) {
    const talking = await stack.client.createGoal(`talking ${round}`);
    const request = await eventually('the model talks', async () =>
      model.requests.find(({ messages }) => messages[1]?.content === `talking ${round}`),
    );
    await pause(300);
    const streamFrom = now();
    await cancel(talking.id);
    const left = await eventually('the model is left', async () => request.endedAt, { everyMs: 10 });
    inStream.push(left - streamFrom);
    const sleeping = await stack.client.createGoal(`sleeping ${round}`);
    await eventually('the command runs', () => stack.client.firstCommandRuns(sleeping.id));
    await pause(300);
    const commandFrom = now();
    await cancel(sleeping.id);
    inCommand.push(now() - commandFrom);
    progress(`cancel ${round}/${CANCELS}: ${inStream.at(-1)?.toFixed(0)} and ${inCommand.at(-1)?.toFixed(0)} ms`);
  }
  return { cancel_mid_stream_max_ms: Math.max(...inStream), cancel_mid_command_max_ms: Math.max(...inCommand) };
}
