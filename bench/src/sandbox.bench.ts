import { execFile, execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ServiceProcess, freePort } from '@aish/tests/support/service.process';
import Docker from 'dockerode';
import { sized, type Benchmark, type Figures } from './benchmark.js';
import { now, percentile } from './statistics.js';

/** This is the image of this checkout. Another checkout may have built `latest` since. */
export const IMAGE = execFileSync(fileURLToPath(new URL('../../services/sandbox/image/build.sh', import.meta.url)), {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
}).trim();
const COMMAND = ['bash', '-c', 'true'];
const ROUNDS = sized(40, 2);
const AT_ONCE = 8;
const CANCELS = sized(20, 2);
const ROUNDS_AT_ONCE = sized(8, 1);
/** The background work of the last measurement has ended after this time. */
const SETTLE_MS = 150;
const docker = new Docker();

/** A measurement: `ready` prepares, `once` is timed, and `after` cleans up. */
interface Way {
  readonly ready?: (lane: number) => Promise<void>;
  readonly once: (lane: number) => Promise<void>;
  readonly after?: (lane: number) => Promise<void>;
}

/**
 * Measures the cost of one command through the service, compared with Docker's own time for a container and for an
 * exec.
 */
export const benchmark: Benchmark = {
  name: 'sandbox',
  about:
    'Create, run `true`, output back: docker_run by command line with the same hardening; exec in a running container ' +
    'through the engine; service_ready and service_cold are runs over HTTP with and without a container that waits ' +
    `(WARM_MAX=16, else as delivered). Taking turns, one by one and ${AT_ONCE} at once (at_once_*). cancel: asked until dead.`,
  goals: {
    ready_to_exec_p50_ratio: { op: '<=', value: 1 },
    ready_to_exec_p95_ratio: { op: '<=', value: 1 },
    docker_run_to_ready_p50_ratio: { op: '>=', value: 4 },
    docker_run_to_ready_p95_ratio: { op: '>=', value: 4 },
    cold_to_docker_run_p50_ratio: { op: '<=', value: 1.1 },
    cold_to_docker_run_p95_ratio: { op: '<=', value: 1.1 },
    at_once_ready_to_exec_p50_ratio: { op: '<=', value: 1 },
    at_once_ready_to_exec_p95_ratio: { op: '<=', value: 1 },
    at_once_docker_run_to_ready_p50_ratio: { op: '>=', value: 4 },
    at_once_docker_run_to_ready_p95_ratio: { op: '>=', value: 4 },
    at_once_cold_to_docker_run_p50_ratio: { op: '<=', value: 1.1 },
    at_once_cold_to_docker_run_p95_ratio: { op: '<=', value: 1.1 },
    cancel_p95_ms: { op: '<=', value: 1_000 },
  },
  async run(progress) {
    const dir = await mkdtemp(join(tmpdir(), 'aish-bench-'));
    const instance = `bench-${randomUUID().slice(0, 8)}`;
    const token = randomUUID();
    const url = `http://127.0.0.1:${await freePort()}`;
    const env = {
      PORT: new URL(url).port,
      SANDBOX_TOKEN: token,
      SANDBOX_STATE_DIR: dir,
      SANDBOX_INSTANCE: instance,
      SANDBOX_IMAGE: IMAGE,
      WARM_MAX: '16',
      LOG_LEVEL: 'warn',
    };
    const service = new ServiceProcess('sandbox', 'services/sandbox/dist/bundle/main.js', env, `${url}/v1/health`);
    const idle: Docker.Container[] = [];
    try {
      await service.start();
      for (let lane = 0; lane < AT_ONCE; lane += 1) idle.push(await idleContainer(instance));
      const ways = waysOf(new Service(url, token), idle, instance);
      progress(`one by one, ${ROUNDS} rounds`);
      const single = await measure(ways, ROUNDS, 1, progress);
      progress(`${AT_ONCE} at once, ${ROUNDS_AT_ONCE} rounds`);
      const many = await measure(ways, ROUNDS_AT_ONCE, AT_ONCE, progress);
      progress(`${CANCELS} commands that print without end, cancelled`);
      const cancels = await cancelTimes(new Service(url, token));
      return {
        ...figures('', single),
        ...figures('at_once_', many),
        cancel_p50_ms: percentile(cancels, 0.5),
        cancel_p95_ms: percentile(cancels, 0.95),
      };
    } finally {
      await service.kill('SIGTERM');
      await Promise.all(idle.map((container) => container.remove({ force: true })));
      await clear(instance);
      await rm(dir, { recursive: true, force: true });
    }
  },
};

function waysOf(service: Service, idle: readonly Docker.Container[], instance: string): Record<string, Way> {
  const lanes = idle.map(() => randomUUID());
  const fresh = new Map<number, string>();
  return {
    docker_run: { once: () => dockerRun(instance) },
    exec: { once: (lane) => exec(idle[lane]) },
    service_ready: {
      ready: (lane) => service.prepare(lanes[lane] ?? ''),
      once: async (lane) => void (await service.run(lanes[lane] ?? '')),
      after: (lane) => service.prepare(lanes[lane] ?? ''),
    },
    service_cold: {
      ready: async (lane) => void fresh.set(lane, randomUUID()),
      once: async (lane) => void (await service.run(fresh.get(lane) ?? '')),
      after: (lane) => service.remove(fresh.get(lane) ?? ''),
    },
  };
}

async function measure(
  ways: Record<string, Way>,
  rounds: number,
  lanes: number,
  progress: (line: string) => void,
): Promise<Record<string, number[]>> {
  const samples: Record<string, number[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  const all = (work: (lane: number) => Promise<void> = () => Promise.resolve()) =>
    Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)));
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, way] of Object.entries(ways)) {
      await all(way.ready);
      await pause(SETTLE_MS);
      await all(async (lane) => {
        const before = now();
        await way.once(lane);
        // The first two rounds are a warm-up.
        if (round >= 0) samples[name]?.push(now() - before);
      });
      await all(way.after);
    }
    if (round >= 0 && (round + 1) % 10 === 0) progress(`round ${round + 1}/${rounds}`);
  }
  return samples;
}

function figures(prefix: string, samples: Record<string, number[]>): Figures {
  const at = (name: string, p: number) => percentile(samples[name] ?? [], p);
  const times = Object.keys(samples).flatMap((name) =>
    [50, 95, 99].map((p) => [`${prefix}${name}_p${p}_ms`, at(name, p / 100)] as const),
  );
  const ratios = [50, 95].flatMap((p) => [
    [`${prefix}ready_to_exec_p${p}_ratio`, at('service_ready', p / 100) / at('exec', p / 100)] as const,
    [`${prefix}docker_run_to_ready_p${p}_ratio`, at('docker_run', p / 100) / at('service_ready', p / 100)] as const,
    [`${prefix}cold_to_docker_run_p${p}_ratio`, at('service_cold', p / 100) / at('docker_run', p / 100)] as const,
  ]);
  return Object.fromEntries([...times, ...ratios]);
}

/** Talks to the sandbox service over HTTP, as the worker does. */
class Service {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  async run(workspaceId: string, command = 'true'): Promise<string> {
    const response = await this.ask('POST', '/v1/runs', { runId: randomUUID(), workspaceId, command });
    const text = await response.text();
    if (!text.includes('"exitCode":0')) throw new Error(`sandbox: ${response.status} ${text}`);
    return text;
  }

  /** Starts a command that prints. `over` resolves when the command has ended, with any output. */
  begin(workspaceId: string, command: string): { runId: string; begun: Promise<void>; over: Promise<void> } {
    const runId = randomUUID();
    const answer = this.ask('POST', '/v1/runs', { runId, workspaceId, command });
    const reader = answer.then((response) => {
      if (response.body === null) throw new Error(`sandbox: ${response.status} without a stream`);
      return response.body.getReader();
    });
    const begun = reader.then(async (stream) => void (await stream.read()));
    const over = (async () => {
      await begun;
      const stream = await reader;
      while (!(await stream.read()).done);
    })();
    return { runId, begun, over };
  }

  async cancel(runId: string): Promise<void> {
    const { status } = await this.ask('DELETE', `/v1/runs/${runId}`);
    if (status !== 200) throw new Error(`sandbox: the run was not cancelled: ${status}`);
  }

  async prepare(workspaceId: string): Promise<void> {
    const text = await (await this.ask('POST', `/v1/workspaces/${workspaceId}/prepare`)).text();
    if (text !== '{"ready":true}') throw new Error(`sandbox: no container is ready: ${text}`);
  }

  async remove(workspaceId: string): Promise<void> {
    const { status } = await this.ask('DELETE', `/v1/workspaces/${workspaceId}`);
    if (status !== 204) throw new Error(`sandbox: the workspace was not deleted: ${status}`);
  }

  private ask(method: string, path: string, body?: unknown): Promise<Response> {
    return fetch(this.url + path, {
      method,
      signal: AbortSignal.timeout(60_000),
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}

/**
 * Measures the times from the request to cancel a command to the command's last sign of life, which the command itself
 * records.
 */
async function cancelTimes(service: Service): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < CANCELS; round += 1) {
    const workspaceId = randomUUID();
    const beat = '(while :; do date +%s%3N > next; mv next beat; sleep 0.01; done) & yes';
    const { runId, begun, over } = service.begin(workspaceId, beat);
    await begun;
    await pause(300);
    const askedAt = Date.now();
    await service.cancel(runId);
    await over;
    const last = Number(/(\d{13})/.exec(await service.run(workspaceId, 'cat beat'))?.[1]);
    times.push(Math.max(0, last - askedAt));
    await service.remove(workspaceId);
  }
  return times;
}

async function dockerRun(instance: string): Promise<void> {
  const limits =
    '--network none --read-only --cap-drop ALL --user 1000:1000 --security-opt no-new-privileges --pids-limit 256 ' +
    '--memory 512m --memory-swap 512m --cpus 1 --ulimit core=0 --ulimit nofile=4096 --ulimit fsize=2147483648 ' +
    `--tmpfs /tmp:rw,nosuid,nodev,exec,size=256m -w /workspace -v aish-ws-${instance}-run:/workspace`;
  await promisify(execFile)('docker', ['run', '--rm', '--init', ...limits.split(' '), IMAGE, ...COMMAND]);
}

export async function idleContainer(instance: string): Promise<Docker.Container> {
  const container = await docker.createContainer({
    Image: IMAGE,
    Cmd: ['sleep', 'infinity'],
    User: '1000:1000',
    WorkingDir: '/workspace',
    Labels: { 'dev.aish.bench': instance },
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      PidsLimit: 256,
      Memory: 512 * 2 ** 20,
      MemorySwap: 512 * 2 ** 20,
      NanoCpus: 1e9,
      Tmpfs: { '/tmp': 'rw,nosuid,nodev,exec,size=256m' },
      Init: true,
    },
  });
  await container.start();
  return container;
}

export async function exec(container: Docker.Container | undefined): Promise<void> {
  if (container === undefined) throw new Error('sandbox: no such lane');
  const running = await container.exec({ Cmd: COMMAND, AttachStdout: true, AttachStderr: true });
  const stream = await running.start({ hijack: true, stdin: false });
  stream.resume();
  await finished(stream, { writable: false });
  const { ExitCode } = await running.inspect();
  if (ExitCode !== 0) throw new Error(`sandbox: exec exited with code ${ExitCode}`);
}

/** Removes the volumes of an instance. The service removes its containers itself, but keeps its volumes. */
async function clear(instance: string): Promise<void> {
  const { Volumes } = await docker.listVolumes({ filters: { name: [`aish-ws-${instance}-`] } });
  for (const { Name } of Volumes) await docker.getVolume(Name).remove();
}
