import { Readable } from 'node:stream';
import type { AishError, SandboxConfig } from '@aish/contracts';
import Docker from 'dockerode';
import { stateOf, type ContainerState } from './container-state.js';
import { LABELS, containerName, containerSpec, volumeName, type NewContainer } from './container-spec.js';
import { engineStatus, imageMissing, isNoAnswer, runtimeMissing, toEngineError } from './engine-error.js';
import { unlessStatus, untilAborted } from './engine-answer.js';
import { FrameSplitter, type Piece } from './frame-splitter.js';

const ANSWER_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 35_000;
/** Whoever asks how the engine is wants to know soon that it does not answer. */
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_AGE_MAX_MS = 2_000;

export interface ListedContainer {
  /** Whose it is; null when it has no command yet. */
  readonly runId: string | null;
  readonly name: string;
  readonly workspaceId: string;
  readonly isStarted: boolean;
  readonly wasWarm: boolean;
}

export interface EngineInfo {
  readonly version: string;
  readonly runtime: string;
  /** The runtimes there are, when the one that is asked for is not among them. */
  readonly runtimesInstead: readonly string[] | null;
  /** Id of the image that commands run in; null when it is missing. */
  readonly imageId: string | null;
  /** The variables that the image gives to every container. */
  readonly imageEnv: readonly string[];
  /** Where the engine keeps its volumes. */
  readonly rootDir: string;
}

interface EngineFacts {
  readonly ServerVersion: string;
  readonly DefaultRuntime: string;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
  readonly DockerRootDir: string;
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
  private last: EngineInfo | null = null;

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
   * @throws AishError `engine_unavailable`, `image_missing`, `runtime_missing`
   */
  async ready(): Promise<void> {
    if (this.working) return;
    const info = await this.info();
    const obstacle = this.obstacle(info);
    if (obstacle !== null) throw obstacle;
    this.working = true;
  }

  /** What keeps commands from running although the engine answers. */
  obstacle({ imageId, runtime, runtimesInstead }: EngineInfo): AishError | null {
    if (imageId === null) return imageMissing(this.config.SANDBOX_IMAGE);
    return runtimesInstead === null ? null : runtimeMissing(runtime, runtimesInstead);
  }

  /** What the engine said last about itself. */
  get known(): EngineInfo | null {
    return this.last;
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
    const options = { stream: true, stdout: true, stderr: true };
    const attach = () => this.patient.getContainer(this.name(runId)).attach(options);
    return this.pieces(await this.call(() => untilAborted(attach() as unknown as Promise<Readable>, signal)));
  }

  /** What the container has printed, as far as its bounded log reaches back, and what it prints from now on. */
  async logs(runId: string, signal: AbortSignal): Promise<AsyncIterable<Piece>> {
    const options = { follow: true as const, stdout: true, stderr: true };
    const logs = () => this.patient.getContainer(this.name(runId)).logs(options);
    return this.pieces(await this.call(() => untilAborted(logs() as unknown as Promise<Readable>, signal)));
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
    const prefix = containerName(this.config.SANDBOX_INSTANCE, '');
    return found.flatMap(({ Names, Labels, State }) => {
      const name = Names[0]?.replace(/^\//, '') ?? '';
      const wasWarm = Labels[LABELS.warm] !== undefined;
      const runId = name.startsWith(prefix) ? name.slice(prefix.length) : null;
      const workspaceId = Labels[LABELS.workspace];
      if (workspaceId === undefined || (runId === null && !wasWarm)) return [];
      return [{ runId, name, workspaceId, isStarted: State !== 'created', wasWarm }];
    });
  }

  /** The workspaces that have a volume. */
  async workspaces(): Promise<ReadonlySet<string>> {
    const filters = { label: [`${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.call(() => this.quick.listVolumes({ filters }));
    return new Set(Volumes.flatMap(({ Labels }) => Labels?.[LABELS.workspace] ?? []));
  }

  /** For the other classes of this folder: asks with this engine's limits, errors in its words. */
  ask<T>(question: (docker: Docker) => Promise<T>): Promise<T> {
    return this.call(() => question(this.quick));
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

  /** Where the engine has the files of a volume, on its own machine. */
  async mountpointOf(volume: string): Promise<string> {
    const { Mountpoint } = await this.call(() => this.quick.getVolume(volume).inspect());
    return Mountpoint;
  }

  private name(runId: string): string {
    return containerName(this.config.SANDBOX_INSTANCE, runId);
  }

  private async probe(): Promise<Probe> {
    try {
      const info = await this.call(async () => {
        const [engine, image] = await Promise.all([
          this.prober.info() as Promise<EngineFacts>,
          unlessStatus([404], this.prober.getImage(this.config.SANDBOX_IMAGE).inspect()),
        ]);
        const runtime = this.config.SANDBOX_RUNTIME ?? engine.DefaultRuntime;
        const runtimes = Object.keys(engine.Runtimes ?? {});
        return {
          version: engine.ServerVersion,
          runtime,
          runtimesInstead: this.config.SANDBOX_RUNTIME !== undefined && !runtimes.includes(runtime) ? runtimes : null,
          imageId: image?.Id ?? null,
          imageEnv: image?.Config.Env ?? [],
          rootDir: engine.DockerRootDir,
        };
      });
      this.last = info;
      return { info };
    } catch (error) {
      return { error: error as Error };
    }
  }

  /** What a container prints, from the stream of an attach or of its logs. */
  async *pieces(stream: NodeJS.ReadableStream): AsyncIterable<Piece> {
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
      options: { condition: 'not-running' },
    };
    const answered = new Promise<Readable>((resolve, reject) => {
      this.patient.modem.dial(options, (error, answer) => {
        if (answer instanceof Readable) resolve(answer);
        else reject(error ?? new Error('the engine answered a wait without a body'));
      });
    });
    for await (const _ of await untilAborted(answered, signal));
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
    if (isNoAnswer(error) || failure.code === 'image_missing' || failure.code === 'runtime_missing')
      this.working = false;
    return failure;
  }
}
