import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import Docker from 'dockerode';
import { advanceGoal } from '@aish/contracts';
import { startEmbeddedPostgres } from '@aish/database';
import { openQueue } from '@aish/queue';
import { startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { startEmbeddedAish } from '@aish/tests/support/embedded.aish';
import { plan } from '@aish/tests/support/plan';
import { ROOT, freePort } from '@aish/tests/support/service.process';
import type { Benchmark, Figures } from './benchmark.js';
import { now, percentile } from './statistics.js';

const ROUNDS = 10;
const IMAGE = 'aish-sandbox:latest';
/** Three steps, one HALT: what a person does with aish all day. */
const SCRIPT = plan('CMD: true', 'CMD: rm -rf nothing', 'GOAL: complete');
const COMMANDS = 2;

/** The whole of the main job from outside, against what its parts cost when nothing is around them. */
export const benchmark: Benchmark = {
  name: 'main-job',
  about:
    'npm start on a folder that was used before, and goals of two commands and one HALT with a model that answers at once. ' +
    'Floors in the same run, taking turns: a bare Postgres and three node processes that load NestJS; a bare hardened container per ' +
    'command; one job of the bare queue.',
  goals: {
    start_ratio: { op: '<=', value: 3 },
    command_ratio: { op: '<=', value: 1.2 },
    // A commit, a hop, a lock on a connection of its own and four transactions, each about the size of a hop.
    verdict_to_model_ratio: { op: '<=', value: 10 },
    outside_share: { op: '<=', value: 0.3 },
  },
  async run(progress) {
    const dir = await mkdtemp(join(tmpdir(), 'aish-bench-'));
    const model = await startScriptedModel({ script: SCRIPT, port: await freePort() });
    const options = { dataDir: dir, modelUrl: model.url };
    try {
      progress('first start: makes the data folder');
      await (await startEmbeddedAish(options)).stop();
      progress('second start: the one that is measured');
      const before = now();
      const aish = await startEmbeddedAish(options);
      const startedMs = now() - before;
      try {
        const rounds = await measureGoals(aish.client, model, progress);
        const { startMs: floorMs, hopMs } = await floors(dir);
        return {
          start_to_healthy_ms: startedMs,
          start_floor_ms: floorMs,
          start_ratio: startedMs / floorMs,
          ...rounds,
          queue_hop_ms: hopMs,
          verdict_to_model_ratio: (rounds['verdict_to_model_ms'] ?? Number.NaN) / hopMs,
        };
      } finally {
        await aish.stop();
      }
    } finally {
      await model.close();
      await rm(dir, { recursive: true, force: true });
    }
  },
};

type Client = Awaited<ReturnType<typeof startEmbeddedAish>>['client'];

async function measureGoals(client: Client, model: ScriptedModel, progress: (line: string) => void): Promise<Figures> {
  const acceptedToCommand: number[] = [];
  const verdictToModel: number[] = [];
  const outside: number[] = [];
  const total: number[] = [];
  const bare: number[] = [];
  const viaAish: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1) {
    const bareMs = await bareContainer(); // taking turns: the machine is the same for both
    const requests = model.requests.length;
    const created = now();
    const { id } = await client.createGoal(`round ${round}`);
    const decision = await client.decisionOf(id);
    const decided = now();
    await client.decide(decision.id, 'proceed');
    const goal = await client.until(id, 'done');
    const [first, , third] = model.requests.slice(requests);
    const [command, second] = goal.actions;
    if (
      first === undefined ||
      third === undefined ||
      !command?.startedAt ||
      !command.endedAt ||
      !second?.startedAt ||
      !second.endedAt
    ) {
      throw new Error('main-job: the goal did not go as planned');
    }
    if (round === 0) continue; // warms up
    const runs = [command, second].map(
      ({ startedAt, endedAt }) => Date.parse(String(endedAt)) - Date.parse(String(startedAt)),
    );
    const inCommands = runs.reduce((sum, ms) => sum + ms, 0);
    const inModel = model.requests.slice(requests).reduce((sum, { at, endedAt }) => sum + ((endedAt ?? at) - at), 0);
    const waitedForPerson = decided - Date.parse(decision.createdAt);
    const whole = Date.parse(String(goal.endedAt)) - created;
    acceptedToCommand.push(Date.parse(command.startedAt) - created);
    verdictToModel.push(third.at - decided - (runs[1] ?? 0));
    outside.push(whole - inCommands - inModel - waitedForPerson);
    total.push(whole - waitedForPerson);
    viaAish.push(inCommands / COMMANDS);
    bare.push(bareMs);
    progress(`round ${round}/${ROUNDS}`);
  }
  const p50 = (samples: readonly number[]) => percentile(samples, 0.5);
  return {
    accepted_to_command_ms: p50(acceptedToCommand),
    verdict_to_model_ms: p50(verdictToModel),
    outside_ms: p50(outside),
    outside_share: p50(outside) / p50(total),
    command_ms: p50(viaAish),
    bare_container_ms: p50(bare),
    command_ratio: p50(viaAish) / p50(bare),
  };
}

/** What one command in one hardened container costs through the engine's API, with nothing around it. */
async function bareContainer(): Promise<number> {
  const docker = new Docker();
  const before = now();
  const container = await docker.createContainer({
    Image: IMAGE,
    Cmd: ['bash', '-c', 'true'],
    User: '1000:1000',
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      PidsLimit: 256,
      Memory: 512 * 2 ** 20,
      MemorySwap: 512 * 2 ** 20,
      Init: true,
    },
  });
  await container.start();
  await container.wait();
  await container.remove({ force: true });
  return now() - before;
}

interface Floors {
  /** A Postgres whose folder is there already, and three processes that load NestJS on Fastify and do nothing. */
  readonly startMs: number;
  /** One job from add to its handler: the bare queue on that Postgres. */
  readonly hopMs: number;
}

/** The least that anyone pays who starts the same parts: measured in the same run, on a durable Postgres. */
async function floors(dir: string): Promise<Floors> {
  const start = () =>
    startEmbeddedPostgres({ dataDir: join(dir, 'floor'), password: 'floor-of-a-start', createUser: true });
  await (await start()).stop();
  const before = now();
  const server = await start();
  await Promise.all([1, 2, 3].map(() => once(spawn(process.execPath, [...LOAD_NEST], { cwd: ROOT }), 'exit')));
  const startMs = now() - before;
  const hopMs = await queueHop(server.url('postgres'));
  await server.stop();
  return { startMs, hopMs };
}

const LOAD_NEST = [
  '--input-type=module',
  '-e',
  "await import('@nestjs/core'); await import('@nestjs/platform-fastify')",
];

async function queueHop(databaseUrl: string): Promise<number> {
  const queue = await openQueue({ databaseUrl });
  const hops: number[] = [];
  let started = (): void => undefined;
  queue.work(advanceGoal, async () => started(), { concurrency: 1 });
  for (let round = 0; round <= ROUNDS; round += 1) {
    const arrived = new Promise<void>((resolve) => (started = resolve));
    const before = now();
    await queue.add(advanceGoal, { goalId: randomUUID() });
    await arrived;
    if (round > 0) hops.push(now() - before);
  }
  await queue.close();
  return percentile(hops, 0.5);
}
