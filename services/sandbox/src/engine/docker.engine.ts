import { Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts';
import Docker from 'dockerode';
import { LABELS, containerName, containerSpec, volumeName, type NewContainer } from './container-spec.js';
import { engineStatus, imageMissing, isNoAnswer, toEngineError } from './engine-error.js';
import { FrameSplitter, type Piece } from './frame-splitter.js';

const ANSWER_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 35_000;
/** Whoever asks how the engine is wants to know soon that it does not answer. */
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_AGE_MAX_MS = 2_000;

/** What the engine says about the container of a run. */
export interface ContainerState {
  readonly runId: string;
  readonly status: 'created' | 'running' | 'exited';
  readonly exitCode: number;
  readonly oomKilled: boolean;
  /** From start to end, milliseconds; to now while it runs. */
  readonly durationMs: number;
  readonly deadline: Date | null;
}

export interface ListedContainer {
  readonly runId: string;
  readonly workspaceId: string;
  readonly isStarted: boolean;
}

export interface EngineInfo {
  readonly version: string;
  readonly runtime: string;
  /** Id of the image that commands run in; null when it is missing. */
  readonly imageId: string | null;
}

type Probe = { readonly info: EngineInfo } | { readonly error: Error };

/** The Docker engine. Nothing else in this service talks to it; every error out of here is an AishError. */
export class DockerEngine {
  /** For calls that are answered at once. */
  private readonly quick: Docker;
  /** For calls that last as long as a run does. */
  private readonly patient: Docker;
  private readonly prober: Docker;
  private probing: Promise<Probe> | null = null;
  private working = false;

  constructor(private readonly config: SandboxConfig) {
    // An empty host, because docker-modem would otherwise prefer DOCKER_HOST of the environment to the socket.
    const where = { socketPath: config.DOCKER_SOCKET, host: '' };
    this.quick = new Docker({ ...where, timeout: ANSWER_TIMEOUT_MS });
    this.patient = new Docker(where);
    this.prober = new Docker({ ...where, timeout: PROBE_TIMEOUT_MS });
  }

  /**
   * Asks the engine how it is; asked again within 2 s, says the same.
   * @throws AishError `engine_unavailable`
   */
  async info(): Promise<EngineInfo> {
    this.probing ??= this.probe().finally(() => {
      setTimeout(() => (this.probing = null), PROBE_AGE_MAX_MS).unref();
    });
    const probe = await this.probing;
    if ('error' in probe) throw probe.error;
    return probe.info;
  }

  /**
   * Costs nothing while all goes well: an engine that answered the last call is not asked again.
   * @throws AishError `engine_unavailable`, `image_missing`
   */
  async ready(): Promise<void> {
    if (this.working) return;
    const { imageId } = await this.info();
    if (imageId === null) throw imageMissing(this.config.SANDBOX_IMAGE);
    this.working = true;
  }

  /**
   * Makes the container of a run, which does not start yet, and its workspace's volume if that is not there.
   * @returns false when the run has a container already.
   */
  async create(run: NewContainer): Promise<boolean> {
    return this.call(async () => {
      try {
        await this.quick.createContainer(containerSpec(run, this.config));
        return true;
      } catch (error) {
        if (engineStatus(error) === 409) return false;
        throw error;
      }
    });
  }

  /** What the container prints from now on; open it before the start to miss nothing. */
  async attach(runId: string, signal: AbortSignal): Promise<AsyncIterable<Piece>> {
    const options = { stream: true, stdout: true, stderr: true, abortSignal: signal };
    return this.call(async () => this.pieces(await this.patient.getContainer(this.name(runId)).attach(options)));
  }

  /** What the container has printed, as far as its bounded log reaches back, and what it prints from now on. */
  async logs(runId: string, signal: AbortSignal): Promise<AsyncIterable<Piece>> {
    const options = { follow: true as const, stdout: true, stderr: true, abortSignal: signal };
    return this.call(async () => this.pieces(await this.patient.getContainer(this.name(runId)).logs(options)));
  }

  /**
   * Starts the container.
   * @throws AishError `engine_unavailable`: it may have started all the same.
   */
  async start(runId: string): Promise<void> {
    await this.call(() => unlessStatus([304], this.quick.getContainer(this.name(runId)).start()));
  }

  /** Resolves when the container is dead or gone. */
  async wait(runId: string, signal: AbortSignal): Promise<void> {
    try {
      await unlessStatus([404], this.waitForBody(runId, signal));
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** Kills every process of the container. Harmless when it is dead or gone. */
  async kill(runId: string): Promise<void> {
    await this.call(() => unlessStatus([404, 409], this.quick.getContainer(this.name(runId)).kill()));
  }

  /** Removes the container, whatever its state. Harmless when it is gone. */
  async remove(runId: string): Promise<void> {
    // 409: somebody removes it right now.
    await this.call(() =>
      unlessStatus([404, 409], this.quick.getContainer(this.name(runId)).remove({ force: true, v: false })),
    );
  }

  async inspect(runId: string): Promise<ContainerState | null> {
    return this.call(async () => {
      const found = await unlessStatus([404], this.quick.getContainer(this.name(runId)).inspect());
      return found === null ? null : stateOf(runId, found);
    });
  }

  /** The containers of this instance's runs. */
  async list(): Promise<readonly ListedContainer[]> {
    const filters = { label: [`${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const found = await this.call(() => this.quick.listContainers({ all: true, filters }));
    return found.flatMap(({ Labels, State }) => {
      const runId = Labels[LABELS.run];
      const workspaceId = Labels[LABELS.workspace];
      if (runId === undefined || workspaceId === undefined) return [];
      return [{ runId, workspaceId, isStarted: State !== 'created' }];
    });
  }

  /**
   * Removes a workspace's volume and all that is in it. Harmless when it is gone.
   * @returns false when a container uses it.
   */
  async removeVolume(workspaceId: string): Promise<boolean> {
    const name = volumeName(this.config.SANDBOX_INSTANCE, workspaceId);
    return this.call(async () => {
      try {
        await unlessStatus([404], this.quick.getVolume(name).remove());
        return true;
      } catch (error) {
        if (engineStatus(error) === 409) return false;
        throw error;
      }
    });
  }

  private name(runId: string): string {
    return containerName(this.config.SANDBOX_INSTANCE, runId);
  }

  private async probe(): Promise<Probe> {
    try {
      const info = await this.call(async () => {
        const [engine, image] = await Promise.all([
          this.prober.info() as Promise<{ ServerVersion: string; DefaultRuntime: string }>,
          unlessStatus([404], this.prober.getImage(this.config.SANDBOX_IMAGE).inspect()),
        ]);
        return { version: engine.ServerVersion, runtime: engine.DefaultRuntime, imageId: image?.Id ?? null };
      });
      return { info };
    } catch (error) {
      return { error: error as Error };
    }
  }

  private async *pieces(stream: NodeJS.ReadableStream): AsyncIterable<Piece> {
    const splitter = new FrameSplitter();
    try {
      for await (const chunk of stream) yield* splitter.push(chunk as Buffer);
    } catch (error) {
      throw this.failed(error);
    }
  }

  /**
   * `container.wait()` hangs for ever when the connection breaks after the answer's head, which this call gets at
   * once: docker-modem listens for the end of the body, not for its breaking off. Reading the body as a stream fails.
   */
  private async waitForBody(runId: string, signal: AbortSignal): Promise<void> {
    const options = {
      path: `/containers/${this.name(runId)}/wait?`,
      method: 'POST',
      isStream: true,
      statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
      abortSignal: signal,
      options: { condition: 'not-running' },
    };
    const body = await new Promise<Readable>((resolve, reject) => {
      this.patient.modem.dial(options, (error, answer) => {
        if (answer instanceof Readable) resolve(answer);
        else reject(error ?? new Error('the engine answered a wait without a body'));
      });
    });
    for await (const _ of body);
  }

  /** The same fault of docker-modem is why every other call has a limit here besides the client's own. */
  private async call<T>(ask: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = Object.assign(new Error(`no answer within ${CALL_TIMEOUT_MS} ms`), { code: 'ETIMEDOUT' });
      timer = setTimeout(() => reject(error), CALL_TIMEOUT_MS);
    });
    try {
      return await Promise.race([ask(), late]);
    } catch (error) {
      throw this.failed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private failed(error: unknown): Error {
    const failure = toEngineError(error, { socketPath: this.config.DOCKER_SOCKET, image: this.config.SANDBOX_IMAGE });
    if (isNoAnswer(error) || failure.code === 'image_missing') this.working = false;
    return failure;
  }
}

/** The answer, or null when the engine refused with one of `statuses`. */
async function unlessStatus<T>(statuses: readonly number[], answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (statuses.includes(engineStatus(error) ?? 0)) return null;
    throw error;
  }
}

function stateOf(runId: string, { State, Config }: Docker.ContainerInspectInfo): ContainerState {
  const isRunning = State.Running || State.Paused || State.Restarting;
  const startedAt = Date.parse(State.StartedAt);
  const endedAt = isRunning ? Date.now() : Date.parse(State.FinishedAt);
  const deadline = new Date(Config.Labels[LABELS.deadline] ?? '');
  return {
    runId,
    status: isRunning ? 'running' : State.Status === 'created' ? 'created' : 'exited',
    exitCode: State.ExitCode,
    oomKilled: State.OOMKilled,
    durationMs: Math.max(0, endedAt - startedAt) || 0,
    deadline: Number.isNaN(deadline.getTime()) ? null : deadline,
  };
}
