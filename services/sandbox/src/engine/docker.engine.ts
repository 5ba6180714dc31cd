import { join } from 'node:path';
import { Readable, type Duplex } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError, isAishError } from '@aish/contracts/problems';
import Docker from 'dockerode';
import { LABELS, volumeName } from './container-spec.js';
import { engineStatus, imageMissing, runtimeMissing, toEngineError } from './engine-error.js';
import { sshAddress } from './engine-address.js';
import { unlessStatus, untilAborted } from './engine-answer.js';
import { engineKind, isRootless, limitsOf, type EngineFacts, type EngineLimits } from './engine-facts.js';
import { FrameSplitter, type Piece } from './frame-splitter.js';
import { SshTunnel } from './ssh.tunnel.js';

const ANSWER_TIMEOUT_MS = 30_000;
const CALL_TIMEOUT_MS = 35_000;
/** This timeout is short, so that the status check quickly reports an engine that does not respond. */
const PROBE_TIMEOUT_MS = 5_000;
const PROBE_AGE_MAX_MS = 2_000;

export interface EngineInfo {
  readonly kind: 'docker' | 'podman';
  readonly isRootless: boolean;
  readonly limits: EngineLimits;
  readonly version: string;
  readonly runtime: string;
  /** The runtimes that the engine offers if the requested one is missing; otherwise null. */
  readonly runtimesInstead: readonly string[] | null;
  /** The ID of the image in which commands run; null if the image is missing. */
  readonly imageId: string | null;
  /** The variables that the image sets in every container. */
  readonly imageEnv: readonly string[];
  /** The folder in which the engine stores its volumes. */
  readonly rootDir: string;
}

type Probe = { readonly info: EngineInfo } | { readonly error: Error };

/** Talks to the Docker engine. Only this class does so, and it throws only AishErrors. */
export class DockerEngine {
  /** This client is for calls that return immediately. */
  private readonly quick: Docker;
  /** This client is for calls that last as long as a run. */
  private readonly patient: Docker;
  private readonly prober: Docker;
  private readonly tunnel: SshTunnel | null;
  private probing: Promise<Probe> | null = null;
  private working = false;
  private last: EngineInfo | null = null;

  constructor(private readonly config: SandboxConfig) {
    const remote = sshAddress(config.DOCKER_SOCKET);
    this.tunnel = remote === null ? null : new SshTunnel(remote, join(config.SANDBOX_STATE_DIR, 'engine.sock'));
    // The host is empty, because docker-modem would otherwise prefer DOCKER_HOST to the socket.
    const where = { socketPath: this.tunnel?.socketPath ?? config.DOCKER_SOCKET, host: '' };
    this.quick = new Docker({ ...where, timeout: ANSWER_TIMEOUT_MS });
    this.patient = new Docker(where);
    this.prober = new Docker({ ...where, timeout: PROBE_TIMEOUT_MS });
  }

  /**
   * Asks the engine for its state. The answer is cached for 2 s.
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
   * Checks that commands can run. If the engine answered the last call, this method does not ask it again.
   * @throws AishError `engine_unavailable`, `image_missing`, `runtime_missing`
   */
  async ready(): Promise<void> {
    if (this.working) return;
    const info = await this.info();
    const obstacle = this.obstacle(info);
    if (obstacle !== null) throw obstacle;
    this.working = true;
  }

  /** Returns the reason why commands cannot run although the engine responds, or null. */
  obstacle({ imageId, runtime, runtimesInstead }: EngineInfo): AishError | null {
    if (imageId === null) return imageMissing(this.config.SANDBOX_IMAGE);
    return runtimesInstead === null ? null : runtimeMissing(runtime, runtimesInstead);
  }

  /** The last known state of the engine. */
  get known(): EngineInfo | null {
    return this.last;
  }

  /** Returns the workspaces that have a volume. */
  async workspaces(): Promise<ReadonlySet<string>> {
    const filters = { label: [`${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.call(() => this.quick.listVolumes({ filters }));
    return new Set(Volumes.flatMap(({ Labels }) => Labels?.[LABELS.workspace] ?? []));
  }

  /** Calls the engine with a timeout, and converts its errors. */
  ask<T>(question: (docker: Docker) => Promise<T>): Promise<T> {
    return this.call(() => question(this.quick));
  }

  /** Like `ask`, for an answer that lasts as long as a run. Only the beginning of the answer has a timeout. */
  open<T>(question: (docker: Docker) => Promise<T>): Promise<T> {
    return this.call(() => question(this.patient));
  }

  /**
   * Opens stdout, stderr and perhaps stdin of a container. We do not use dockerode's `attach`: it sends its options as a
   * body as well, and Podman passes that body to the container's stdin.
   */
  attach(name: string, { stdin = true }: { readonly stdin?: boolean } = {}): Promise<Duplex> {
    const options = {
      path: `/containers/${name}/attach?`,
      method: 'POST',
      isStream: true,
      hijack: true,
      openStdin: stdin,
      statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
      options: { stream: true, stdin, stdout: true, stderr: true },
      file: Buffer.alloc(0),
    };
    return this.open(
      ({ modem }) =>
        new Promise((resolve, reject) => {
          modem.dial(options, (error, stream) => (error ? reject(error) : resolve(stream as Duplex)));
        }),
    );
  }

  /** Resolves when a container is dead or removed. */
  async wait(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.tunnel?.open();
      await unlessStatus([404], this.waitForBody(name, signal));
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** Removes a container in any state. The container may already be gone, or someone else may be removing it. */
  async removeContainer(name: string): Promise<void> {
    await this.ask((docker) => unlessStatus([404, 409], docker.getContainer(name).remove({ force: true, v: false })));
  }

  /**
   * Removes the volume of a workspace and everything in it. The volume may already be gone.
   * @returns false if a container uses the volume.
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

  /**
   * Returns the path on the engine's machine of a folder that is the root of a volume, or is anywhere in the mounts of
   * `container:ID`. If this engine does not know the container, it has the folder under the same path.
   */
  async hostPathOf(volume: string, folder: string): Promise<string> {
    const [, id] = /^container:(.+)$/.exec(volume) ?? [];
    if (id === undefined) return this.mountpointOf(volume);
    const container = await this.call(() => unlessStatus([404], this.quick.getContainer(id).inspect()));
    const [mount] = (container?.Mounts ?? [])
      .filter(({ Destination }) => folder.startsWith(`${Destination}/`))
      .toSorted((a, b) => b.Destination.length - a.Destination.length);
    return mount === undefined ? folder : join(mount.Source, folder.slice(mount.Destination.length));
  }

  /** Returns the path of a volume on the engine's machine. */
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
          kind: engineKind(engine),
          isRootless: isRootless(engine),
          limits: limitsOf(engine),
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

  /** Yields the output of a container, from the stream of an attach or of its logs. */
  async *pieces(stream: NodeJS.ReadableStream): AsyncIterable<Piece> {
    const splitter = new FrameSplitter();
    try {
      for await (const chunk of stream) yield* splitter.push(chunk as Buffer);
    } catch (error) {
      throw this.failed(error);
    }
  }

  /**
   * Waits for the end of a container by reading the body of the response as a stream. `container.wait()` hangs forever
   * if the connection breaks after the header of the response, which arrives at once: docker-modem listens for the end
   * of the body but not for a broken connection.
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
        else
          reject(error ?? new AishError('internal', 'The engine’s response to the wait for a container had no body'));
      });
    });
    for await (const _ of await untilAborted(answered, signal));
  }

  /**
   * Adds a timeout to a call. The client's own timeout is not enough because of a bug in docker-modem (see
   * `waitForBody`).
   */
  private async call<T>(ask: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      const error = Object.assign(new Error(`no answer within ${CALL_TIMEOUT_MS} ms`), { code: 'ETIMEDOUT' });
      timer = setTimeout(() => reject(error), CALL_TIMEOUT_MS);
    });
    try {
      return await Promise.race([this.reached(ask), late]);
    } catch (error) {
      throw this.failed(error);
    } finally {
      clearTimeout(timer);
    }
  }

  private async reached<T>(ask: () => Promise<T>): Promise<T> {
    await this.tunnel?.open();
    return ask();
  }

  private failed(error: unknown): Error {
    const at = {
      address: this.config.DOCKER_SOCKET,
      image: this.config.SANDBOX_IMAGE,
      ssh: this.tunnel?.lastMessage ?? null,
    };
    const failure = toEngineError(error, at);
    if (isAishError(failure, 'engine_unavailable', 'image_missing', 'runtime_missing')) this.working = false;
    return failure;
  }
}
