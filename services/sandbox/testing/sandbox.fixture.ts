import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { RunOutcome } from '@aish/contracts/actions';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { RunFrame, RunStatus, type RunRequestInput } from '@aish/contracts/runs';
import Docker from 'dockerode';

export const docker = new Docker({ socketPath: '/var/run/docker.sock', host: '' });

/** This is long enough for a busy machine. */
const WAIT_MS = 60_000;
const ANSWER_MS = 120_000;
/** A killed service on a busy machine takes a long time to return, and the test does not measure that. */
const AGAIN_MS = 300_000;

/** This is the image of this checkout. Another checkout may have built `latest` since. */
const image = execFileSync(fileURLToPath(new URL('../image/build.sh', import.meta.url)), {
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'ignore'],
}).trim();

/** The settings of a separate service with its own state, containers and volumes, which `cleanUp` removes. */
export interface TestSettings {
  readonly env: Readonly<Record<string, string>>;
  readonly config: SandboxConfig;
  readonly instance: string;
}

export async function newTestSettings(over: Readonly<Record<string, string>> = {}): Promise<TestSettings> {
  const instance = `spec-${randomUUID().slice(0, 8)}`;
  const env = {
    HOST: '127.0.0.1',
    PORT: '0',
    SANDBOX_TOKEN: `token-${randomUUID()}`,
    SANDBOX_INSTANCE: instance,
    SANDBOX_STATE_DIR: await mkdtemp(join(tmpdir(), 'aish-sandbox-')),
    LOG_LEVEL: 'warn',
    SANDBOX_IMAGE: image,
    // `SPEC_RUNTIME=crun npx jest` tests with another runtime of the engine.
    ...(process.env['SPEC_RUNTIME'] === undefined ? {} : { SANDBOX_RUNTIME: process.env['SPEC_RUNTIME'] }),
    // `SPEC_LAYERS=on npx jest` tests workspaces with layers.
    ...(process.env['SPEC_LAYERS'] === undefined ? {} : { SANDBOX_LAYERS: process.env['SPEC_LAYERS'] }),
    ...over,
  };
  return { env, instance, config: parseConfig(SandboxConfig, env, () => '') };
}

export async function cleanUp({ instance, config }: TestSettings): Promise<void> {
  const filters = { label: [`dev.aish.instance=${instance}`] };
  await until(async () => {
    const left = await docker.listContainers({ all: true, filters });
    // The service may be removing the containers at this moment, and the engine then returns an error.
    await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true })));
    // A volume counts as used for a moment after its last container has disappeared.
    const { Volumes } = await docker.listVolumes({ filters });
    await Promise.allSettled(Volumes.map(({ Name }) => docker.getVolume(Name).remove()));
    return left.length === 0 && Volumes.length === 0;
  }, 'all containers and volumes are gone');
  await rm(config.SANDBOX_STATE_DIR, { recursive: true, force: true });
}

/**
 * Returns the containers of a run. They are found by name, because a container that waited has no label with the run.
 */
export async function containersOf(runId: string): Promise<Docker.ContainerInfo[]> {
  return docker.listContainers({ all: true, filters: { name: [runId] } });
}

/**
 * Ends the `sleep` of a command, so that the command continues at once. This way a test lets it sleep only as long as
 * the test needs a running command. Bash does not report a SIGPIPE, so outputs stay the same.
 */
export async function wake(runId: string): Promise<void> {
  let isSent = false;
  await until(async () => {
    const [container] = await containersOf(runId);
    if (container?.State !== 'running') return isSent;
    const cmd = { Cmd: ['pkill', '-PIPE', '-x', 'sleep'], AttachStdout: true };
    try {
      const exec = await docker.getContainer(container.Id).exec(cmd);
      const output = await exec.start({});
      isSent = true;
      output.resume();
      await once(output, 'close');
      return (await exec.inspect()).ExitCode === 0;
    } catch (error) {
      if (!(error instanceof Error && 'statusCode' in error && error.statusCode === 409)) throw error;
      // All commands are paused for a moment when one of them fills the disk.
      if (error.message.includes('is paused')) return false;
      // The earlier signal ended the command and its container before Docker had the exit code of `pkill`.
      if (isSent) return true;
      throw error;
    }
  }, 'a sleeping command is woken');
}

/** Returns the containers that wait for a command of a workspace. */
export async function warmOf(workspaceId: string): Promise<Docker.ContainerInfo[]> {
  const filters = { label: [`dev.aish.workspace=${workspaceId}`, 'dev.aish.warm'], name: ['aish-warm-'] };
  return docker.listContainers({ all: true, filters });
}

/** Waits for something that happens soon unless the machine is busy. Fails if it does not happen. */
export async function until<T>(look: () => Promise<T | undefined | false>, what: string): Promise<T> {
  // The intervals grow, because each look costs processor time that the awaited work needs.
  for (let [end, next] = [performance.now() + WAIT_MS, 20]; performance.now() < end; next = Math.min(next * 1.3, 200)) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    await sleep(next);
  }
  throw new Error(`did not happen within ${WAIT_MS / 1_000} s: ${what}`);
}

/** Repeats a request until it succeeds, because a killed service takes a while to return. Throws the last error. */
export async function again<T>(ask: () => Promise<T>): Promise<T> {
  for (const end = performance.now() + AGAIN_MS; ; await sleep(100)) {
    try {
      return await ask();
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

export interface Ended {
  readonly frames: readonly RunFrame[];
  readonly stdout: string;
  readonly stderr: string;
  readonly outcome: RunOutcome;
}

export interface Answer {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: unknown;
}

/** Calls the service over HTTP. */
export class Caller {
  readonly workspaceId = randomUUID();

  constructor(
    readonly url: string,
    private readonly token: string,
  ) {}

  async ask(method: string, path: string, body?: unknown, token = this.token): Promise<Answer> {
    const response = await fetch(this.url + path, {
      method,
      signal: AbortSignal.timeout(ANSWER_MS),
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as unknown) : text };
  }

  request(command: string, over: Partial<RunRequestInput> = {}): RunRequestInput {
    return { runId: randomUUID(), workspaceId: this.workspaceId, command, timeoutMs: 20_000, ...over };
  }

  /** Yields the frames of a run as they arrive. Aborting the signal ends the stream, not the run. */
  async *frames(request: RunRequestInput, signal?: AbortSignal): AsyncGenerator<RunFrame> {
    const response = await fetch(`${this.url}/v1/runs`, {
      method: 'POST',
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal === undefined ? [] : [signal])]),
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    });
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    let text = '';
    for await (const chunk of (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      text += chunk;
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1];
        text = text.slice(end + 2);
        if (data !== undefined) yield RunFrame.parse(JSON.parse(data));
      }
    }
  }

  async run(command: string, over: Partial<RunRequestInput> = {}): Promise<Ended> {
    return this.toEnd(this.request(command, over));
  }

  async toEnd(request: RunRequestInput): Promise<Ended> {
    const frames: RunFrame[] = [];
    for await (const frame of this.frames(request)) frames.push(frame);
    const last = frames.at(-1);
    if (last?.type !== 'exit') throw new Error(`no exit: ${JSON.stringify(last)}`);
    const of = (stream: string) =>
      frames.map((frame) => (frame.type === 'output' && frame.stream === stream ? frame.text : '')).join('');
    return { frames, stdout: of('stdout'), stderr: of('stderr'), outcome: last.outcome };
  }

  async status(runId: string): Promise<RunStatus> {
    return RunStatus.parse((await this.ask('GET', `/v1/runs/${runId}`)).body);
  }

  async cancel(runId: string): Promise<RunStatus> {
    return RunStatus.parse((await this.ask('DELETE', `/v1/runs/${runId}`)).body);
  }
}
