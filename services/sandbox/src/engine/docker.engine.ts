import { Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import Docker from 'dockerode';
import { LABELS, volumeName } from './container-spec.js';
import { engineStatus, imageMissing, isNoAnswer, runtimeMissing, toEngineError } from './engine-error.js';
import { unlessStatus, untilAborted } from './engine-answer.js';
import { FrameSplitter, type Piece } from './frame-splitter.js';

const ANSWER_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 35_000;
/** The status check must report quickly that the engine does not answer. */
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_AGE_MAX_MS = 2_000;

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

  /** The workspaces that have a volume. */
  async workspaces(): Promise<ReadonlySet<string>> {
    const filters = { label: [`${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.call(() => this.quick.listVolumes({ filters }));
    return new Set(Volumes.flatMap(({ Labels }) => Labels?.[LABELS.workspace] ?? []));
  }

  /** Asks with this service's limits, errors in its words. */
  ask<T>(question: (docker: Docker) => Promise<T>): Promise<T> {
    return this.call(() => question(this.quick));
  }

  /** The same for an answer that lasts as long as a run does: only its beginning has a limit. */
  open<T>(question: (docker: Docker) => Promise<T>): Promise<T> {
    return this.call(() => question(this.patient));
  }

  /** Resolves when a container is dead or gone. */
  async wait(name: string, signal: AbortSignal): Promise<void> {
    try {
      await unlessStatus([404], this.waitForBody(name, signal));
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** Removes a container in any state. Harmless when it is gone, or when somebody else removes it right now. */
  async removeContainer(name: string): Promise<void> {
    await this.ask((docker) => unlessStatus([404, 409], docker.getContainer(name).remove({ force: true, v: false })));
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
  private async waitForBody(name: string, signal: AbortSignal): Promise<void> {
    const options = {
      path: `/containers/${name}/wait?`,
      method: 'POST',
      isStream: true,
      statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
      options: { condition: 'not-running' },
    };
    const answered = new Promise<Readable>((resolve, reject) => {
      this.patient.modem.dial(options, (error, answer) => {
        if (answer instanceof Readable) resolve(answer);
        else reject(error ?? new AishError('internal', 'The engine answered a wait without a body'));
      });
    });
    for await (const _ of await untilAborted(answered, signal));
  }

  /** A fault of docker-modem (`waitForBody`) is why every call has a limit here besides the client's own. */
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
