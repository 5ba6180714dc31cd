import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import Docker from 'dockerode';
import { startScriptedModel, type ScriptedModel } from '@aish/rehearsal';
import { startEmbeddedAish } from '@aish/tests/support/embedded.aish';
import { plan } from '@aish/tests/support/plan';
import { freePort } from '@aish/tests/support/service.process';
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
    'npm start on a folder that was used before, and goals of two commands and one HALT with a model that answers at once; ' +
    'beside them, in the same run, starting a bare Postgres-sized process chain (node three times) and a bare container per command.',
  goals: {
    start_to_healthy_s: { op: '<=', value: 20 },
    command_ratio: { op: '<=', value: 1.6 },
    verdict_to_model_ms: { op: '<=', value: 1_000 },
    outside_share: { op: '<=', value: 0.5 },
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
        return { start_to_healthy_s: startedMs / 1000, node_three_times_s: (await nodeThreeTimes()) / 1000, ...rounds };
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

/** The floor of a start: three processes of node that do nothing. */
async function nodeThreeTimes(): Promise<number> {
  const before = now();
  await Promise.all([1, 2, 3].map(() => once(spawn(process.execPath, ['-e', '0']), 'exit')));
  return now() - before;
}
