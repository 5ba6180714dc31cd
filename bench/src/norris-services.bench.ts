import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { NewToken, isTerminal } from '@aish/contracts';
import { startTestRedis } from '@aish/queue/testing';
import { startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { ApiClient } from '@aish/tests/support/api.client';
import { eventually } from '@aish/tests/support/eventually';
import { startMortalPostgres, type MortalPostgres } from '@aish/tests/support/mortal.postgres';
import { plan, plans } from '@aish/tests/support/plan';
import { Stack } from '@aish/tests/support/stack';
import type { Benchmark, Figures } from './benchmark.js';
import { overheads, readPassed } from './norris/passed.js';
import { now, percentile } from './statistics.js';

const STEPS = 12;
const GOALS = 4;
const QUEUED = 200;
const TAKEOVERS = 5;
const HALTS = 3;
const HANG_MS = 600_000;

/** What the driver adds to model and commands, and how soon goals go on after everything was away. */
export const benchmark: Benchmark = {
  name: 'norris-services',
  about:
    `Goals of ${STEPS} commands with a model that answers at once, on a durable Postgres, with queue and bus there or on Redis: time of a ` +
    `step that neither the model (as it sees it) nor the sandbox has. Then ${QUEUED} goals of one command given at once to two workers; ` +
    'a worker killed in a command, until another has taken it over; and a HALT answered by a second client after Postgres and every service were killed.',
  goals: {
    postgres_step_p50_ms: { op: '<=', value: 15 },
    redis_step_p50_ms: { op: '<=', value: 10 },
    takeover_max_ms: { op: '<=', value: 10_000 },
    halt_continues_max_ms: { op: '<=', value: 2_000 },
    queued_done_ratio: { op: '>=', value: 1 },
  },
  async run(progress) {
    const model = await startScriptedModel({
      script: plans({
        steps: plan(...Array.from({ length: STEPS }, (_, n) => `CMD: echo ${n}`), 'GOAL: complete'),
        queued: plan('CMD: true', 'GOAL: complete'),
        killed: plan('CMD: sleep 4', 'GOAL: complete'),
        halting: plan('CMD: rm -rf nothing', 'GOAL: complete'),
      }),
    });
    const redis = await startTestRedis();
    try {
      const onRedis = await withStack(model, redis.url, progress, async (aish) => stepsOf(aish, 'redis'));
      const onPostgres = await withStack(model, undefined, progress, async (aish) => ({
        ...(await stepsOf(aish, 'postgres')),
        ...(await takeovers(aish)),
        ...(await halts(aish)),
        ...(await queued(aish)),
      }));
      return { ...onRedis, ...onPostgres };
    } finally {
      await redis.drop();
      await model.close();
    }
  },
};

interface Aish {
  readonly stack: Stack;
  readonly model: ScriptedModel;
  readonly postgres: MortalPostgres;
  readonly dir: string;
  readonly progress: (line: string) => void;
}

async function withStack(
  model: ScriptedModel,
  redisUrl: string | undefined,
  progress: (line: string) => void,
  fn: (aish: Aish) => Promise<Figures>,
): Promise<Figures> {
  const dir = await mkdtemp(join(tmpdir(), 'aish-norris-bench-'));
  const postgres = await startMortalPostgres();
  const preload = new URL('norris/boundaries.main.js', import.meta.url).href;
  const stack = await Stack.start({
    modelUrl: model.url,
    ...(redisUrl === undefined ? {} : { redisUrl }),
    workers: 2,
    database: { url: postgres.url, drop: () => postgres.drop() },
    env: { NODE_OPTIONS: `--import ${preload}`, BOUNDARIES_DIR: dir, LOG_LEVEL: 'warn' },
  });
  try {
    return await fn({ stack, model, postgres, dir, progress });
  } finally {
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

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

async function queued({ stack, progress }: Aish): Promise<Figures> {
  const before = now();
  const goals = await Promise.all(Array.from({ length: QUEUED }, (_, n) => stack.client.createGoal(`queued ${n}`)));
  const givenMs = now() - before;
  const states = await eventually(
    'every goal ends',
    async () => {
      const all = await Promise.all(goals.map(({ id }) => stack.client.goal(id)));
      const ended = all.filter(({ state }) => isTerminal(state));
      progress(`${ended.length}/${QUEUED} goals have ended`);
      return ended.length === QUEUED ? ended : null;
    },
    { timeoutMs: HANG_MS, everyMs: 2_000 },
  );
  const ends = states.map(({ endedAt }) => Date.parse(endedAt ?? ''));
  const tookMs = Math.max(...ends) - before;
  return {
    queued_given_ms: givenMs,
    queued_took_ms: tookMs,
    queued_goals_per_s: QUEUED / (tookMs / 1000),
    queued_done_ratio: states.filter(({ state }) => state === 'done').length / QUEUED,
  };
}

/** From the kill of a worker in the middle of a command to another one's next act. */
async function takeovers({ stack, dir, progress }: Aish): Promise<Figures> {
  const samples: number[] = [];
  for (let round = 1; round <= TAKEOVERS; round += 1) {
    const { id } = await stack.client.createGoal(`killed ${round}`);
    const pid = await eventually(
      'the command runs',
      async () =>
        readPassed(dir)
          .get(id)
          ?.find(({ boundary }) => boundary === 'run.asked')?.pid,
    );
    const worker = stack.workers.find((each) => each.pid === pid);
    if (worker === undefined) throw new Error('norris: nobody drives the goal');
    const killedAt = now();
    await worker.kill('SIGKILL');
    await stack.client.until(id, 'done');
    // Workers write them now and then.
    const next = await eventually('the takeover is written', async () =>
      readPassed(dir)
        .get(id)
        ?.find((each) => each.pid !== pid && each.boundary === 'recover.before'),
    );
    samples.push(next.at - killedAt);
    progress(`takeover ${round}/${TAKEOVERS}: ${Math.round(next.at - killedAt)} ms`);
    await worker.start();
  }
  return { takeover_p50_ms: percentile(samples, 0.5), takeover_max_ms: Math.max(...samples) };
}

/** From the second client's answer to the model's next question, after every service was killed and started again. */
async function halts({ stack, model, postgres, progress }: Aish): Promise<Figures> {
  const { token } = await stack.client.json(NewToken, 'POST', '/v1/tokens', {
    name: 'phone',
    scopes: ['decide', 'observe'],
  });
  const phone = new ApiClient(stack.client.url, token);
  const samples: number[] = [];
  for (let round = 1; round <= HALTS; round += 1) {
    const text = `halting ${round}`;
    const { id } = await stack.client.createGoal(text);
    const { number } = await stack.client.decisionOf(id);
    await Promise.all([postgres.kill(), ...stack.services.map((service) => service.kill('SIGKILL'))]);
    await postgres.start();
    await Promise.all(stack.services.map((service) => service.start()));
    const decidedAt = now();
    await phone.decide(number, 'proceed');
    const goal = await stack.client.until(id, 'done');
    const started = Date.parse(goal.actions[0]?.startedAt ?? '');
    const asked = model.requests.findLast(({ messages }) => messages[1]?.content === text)?.at ?? Number.NaN;
    samples.push(started - decidedAt);
    progress(
      `HALT ${round}/${HALTS}: goes on after ${Math.round(started - decidedAt)} ms, asks after ${Math.round(asked - decidedAt)} ms`,
    );
  }
  return { halt_continues_p50_ms: percentile(samples, 0.5), halt_continues_max_ms: Math.max(...samples) };
}
