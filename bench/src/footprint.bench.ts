import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis } from '@aish/queue/testing';
import { startScriptedModel } from '@aish/demo-model';
import { plan } from '@aish/tests/support/plan';
import { Stack } from '@aish/tests/support/stack';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { cpuMs, pssMb, rssMb } from './relay/process.js';
import { now } from './statistics.js';

const SECONDS = sized(60, 2);
/** Background activity lasts this long after the start: the last garbage collection was seen after 50 s. */
const SETTLES_MS = sized(90_000, 2_000);

/** Measures the cost of aish while it is idle. */
export const benchmark: Benchmark = {
  name: 'footprint',
  about:
    `Api, one worker and sandbox ${SETTLES_MS / 1_000} s after their start, with nothing to do for ${SECONDS} s: memory at the end of it and processor time ` +
    'in it, queue and bus on Postgres (as npm start has it) and on Redis (as compose has it). Postgres and Redis themselves are not in it.',
  goals: {
    postgres_rss_mb: { op: '<=', value: 400 },
    postgres_cpu_ratio: { op: '<=', value: 0.01 },
    redis_rss_mb: { op: '<=', value: 400 },
    redis_cpu_ratio: { op: '<=', value: 0.01 },
  },
  async run(progress, { seconds = SECONDS } = {}) {
    const model = await startScriptedModel({ script: plan('GOAL: complete') });
    const redis = await startTestRedis();
    try {
      return {
        ...(await idle('postgres', { modelUrl: model.url }, seconds, progress)),
        ...(await idle('redis', { modelUrl: model.url, redisUrl: redis.url }, seconds, progress)),
      };
    } finally {
      await redis.drop();
      await model.close();
    }
  },
};

async function idle(
  store: string,
  options: Parameters<typeof Stack.start>[0],
  seconds: number,
  progress: (line: string) => void,
): Promise<Figures> {
  const stack = await Stack.start({ ...options, ownProcesses: true });
  try {
    progress(`queue and bus on ${store}: waits`);
    await sleep(SETTLES_MS);
    const pids = stack.services.map(({ name, pid }): [string, number] => [name.replace(/-\d+$/, ''), pid ?? 0]);
    const before = pids.map(([, pid]) => cpuMs(pid));
    const began = now();
    await sleep(seconds * 1_000);
    const tookMs = now() - began;
    const cpu = pids.map(([, pid], n) => (cpuMs(pid) - (before[n] ?? 0)) / tookMs);
    const rss = pids.map(([, pid]) => rssMb(pid));
    return {
      ...Object.fromEntries(pids.map(([name], n) => [`${store}_${name}_rss_mb`, rss[n] ?? Number.NaN])),
      ...Object.fromEntries(pids.map(([name], n) => [`${store}_${name}_cpu_ratio`, cpu[n] ?? Number.NaN])),
      [`${store}_rss_mb`]: sum(rss),
      [`${store}_pss_mb`]: sum(pids.map(([, pid]) => pssMb(pid))),
      [`${store}_cpu_ratio`]: sum(cpu),
    };
  } finally {
    await stack.stop();
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
