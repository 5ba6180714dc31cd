import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestRedis } from '@aish/queue/testing';
import { startScriptedModel } from '@aish/demo-model';
import { removeDataFolder, startEmbeddedAish } from '@aish/tests/support/embedded.aish';
import { eventually } from '@aish/tests/support/eventually';
import { plan } from '@aish/tests/support/plan';
import { Stack } from '@aish/tests/support/stack';
import { removeWorkspaces } from '@aish/tests/support/workspaces';
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
    'in it, queue and bus on Postgres and on Redis (as compose has it). The same for all processes of npm start, the small form, also ' +
    'while two goals run. Postgres and Redis themselves are not in it.',
  goals: {
    small_pss_mb: { op: '<=', value: 270 },
    small_cpu_ratio: { op: '<=', value: 0.005 },
    small_goals_pss_mb: { op: '<=', value: 270 },
    postgres_rss_mb: { op: '<=', value: 400 },
    postgres_cpu_ratio: { op: '<=', value: 0.01 },
    redis_rss_mb: { op: '<=', value: 400 },
    redis_cpu_ratio: { op: '<=', value: 0.01 },
  },
  async run(progress, { seconds = SECONDS } = {}) {
    const lines = `CMD: for n in $(seq ${seconds + 60}); do echo $n; sleep 1; done`;
    const model = await startScriptedModel({ script: plan(lines, 'GOAL: complete') });
    const redis = await startTestRedis();
    try {
      return {
        ...(await small(model.url, seconds, progress)),
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
    const pids = stack.services.map(({ name, pid }): Running => [name.replace(/-\d+$/, ''), pid ?? 0]);
    return await measured(store, pids, seconds);
  } finally {
    await stack.stop();
  }
}

/** Measures all processes of `npm start` except Postgres, at rest and while two goals run. */
async function small(modelUrl: string, seconds: number, progress: (line: string) => void): Promise<Figures> {
  const dataDir = await mkdtemp(join(tmpdir(), 'aish-footprint-'));
  const aish = await startEmbeddedAish({ dataDir, modelUrl, args: ['--no-install'] });
  const instance = (await readFile(join(dataDir, 'instance'), 'utf8')).trim();
  try {
    progress('npm start: waits');
    await sleep(SETTLES_MS);
    const recorded = await readFile(join(dataDir, 'processes.json'), 'utf8');
    const services = JSON.parse(recorded) as { readonly name: string; readonly pid: number }[];
    const pids: Running[] = [['launcher', aish.pid], ...services.map(({ name, pid }): Running => [name, pid])];
    const rest = await measured('small', pids, seconds);
    progress('npm start: two goals');
    for (const text of ['one', 'another']) {
      const { id } = await aish.client.createGoal(text);
      await eventually('its command runs', async () => (await aish.client.goal(id)).actions[0]?.state === 'started');
    }
    return { ...rest, ...(await measured('small_goals', pids, seconds)) };
  } finally {
    await aish.stop();
    await removeWorkspaces(instance);
    await removeDataFolder(dataDir);
  }
}

type Running = readonly [name: string, pid: number];

/** Measures processes for some seconds: their processor time, and their memory at the end. */
async function measured(what: string, pids: readonly Running[], seconds: number): Promise<Figures> {
  const before = pids.map(([, pid]) => cpuMs(pid));
  const began = now();
  await sleep(seconds * 1_000);
  const tookMs = now() - began;
  const cpu = pids.map(([, pid], n) => (cpuMs(pid) - (before[n] ?? 0)) / tookMs);
  const rss = pids.map(([, pid]) => rssMb(pid));
  return {
    ...Object.fromEntries(pids.map(([name], n) => [`${what}_${name}_rss_mb`, rss[n] ?? Number.NaN])),
    ...Object.fromEntries(pids.map(([name], n) => [`${what}_${name}_cpu_ratio`, cpu[n] ?? Number.NaN])),
    [`${what}_rss_mb`]: sum(rss),
    [`${what}_pss_mb`]: sum(pids.map(([, pid]) => pssMb(pid))),
    [`${what}_cpu_ratio`]: sum(cpu),
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0);
}
