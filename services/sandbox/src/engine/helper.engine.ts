import { randomUUID } from 'node:crypto';
import type { Duplex, Readable } from 'node:stream';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import type Docker from 'dockerode';
import { Slots } from '../scheduling/slots.js';
import { LABELS, volumeName, workplaceSpec } from './container-spec.js';
import type { DockerEngine } from './docker.engine.js';
import { unlessStatus } from './engine-answer.js';
import { Helper, type HelperEnd } from './helper.js';
import type { Reading, VolumeAccess } from './hold.js';

const HELPER_LABEL = 'dev.aish.helper';
/** The keeper, the one helper that lives as long as the service, has this label instead of the helper label. */
export const KEEPER_LABEL = 'dev.aish.keeper';
/**
 * These capabilities allow reading and writing despite permissions, and setting owner, permissions and times of copies.
 */
const COPYING = ['DAC_OVERRIDE', 'DAC_READ_SEARCH', 'CHOWN', 'FOWNER'];
/** These capabilities additionally keep the setgid bits of folders. */
const COPYING_TO_HOST = [...COPYING, 'FSETID'];
/** The maximum number of concurrent helpers. The keeper of the layers counts as one. */
const AT_ONCE = 5;
const QUEUED = 32;

export interface HelperVolume {
  /** The name of the volume. The engine creates the volume if it does not exist. */
  readonly volume: string;
  /** The workspace that the volume belongs to, if any. */
  readonly workspaceId?: string;
  readonly target: '/workspace' | '/source';
  readonly readOnly: boolean;
  /**
   * Stops the engine from filling an empty volume with the contents of the image, which would fail on a read-only
   * volume.
   */
  readonly noCopy?: boolean;
  /** Labels for a new volume. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A host folder without the mounts below it. */
interface HelperBind {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface HelperTask {
  readonly command: readonly string[];
  readonly volumes: readonly HelperVolume[];
  readonly binds?: readonly HelperBind[];
  /** A folder of this service that contains its sockets. The folder may be in a volume of the engine. */
  readonly sockets?: { readonly source: string; readonly target: string };
  readonly env?: readonly string[];
  /** This input is written to stdin. The stream stays open, because the command knows how much to read. */
  readonly input?: Readable;
  readonly timeoutMs: number;
  /**
   * Whether the helper ignores file permissions. Only this service's own scripts may do so: a workspace may hold files
   * that their owner cannot read, and these must be copied too.
   */
  readonly readsAll?: boolean;
  readonly label?: typeof HELPER_LABEL | typeof KEEPER_LABEL;
}

/**
 * Runs containers for this service's own work on a volume. They are as hardened as the containers of commands, have no
 * network, and mount only the volumes they need. If a path or an archive tricks a helper, the damage stays inside its
 * container: besides the workspace it sees only the image, which anybody may read and nobody can write.
 */
export class HelperEngine {
  private readonly slots = new Slots(AT_ONCE, QUEUED);
  private readonly own = new Set<string>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly access: VolumeAccess,
  ) {}

  /** Returns the volume of a workspace for a helper. */
  workspace(workspaceId: string, readOnly: boolean, target: HelperVolume['target'] = '/workspace'): HelperVolume {
    const labels = { [LABELS.workspace]: workspaceId };
    return { volume: volumeName(this.config.SANDBOX_INSTANCE, workspaceId), workspaceId, target, readOnly, labels };
  }

  /** @throws AishError `file_not_found` if no command has run there and nothing was uploaded. */
  async needWorkspace(workspaceId: string): Promise<void> {
    if (await this.hasWorkspace(workspaceId)) return;
    throw new AishError('file_not_found', `Workspace ${workspaceId} does not exist yet`);
  }

  /**
   * Returns whether a workspace has a volume. The answer is also true between two commands, while the volume is
   * replaced by one with a new layer.
   */
  hasWorkspace(workspaceId: string): Promise<boolean> {
    return this.access.inTurn(workspaceId, () => this.hasVolume(volumeName(this.config.SANDBOX_INSTANCE, workspaceId)));
  }

  hasVolume(name: string): Promise<boolean> {
    return this.engine.ask(async (docker) => (await unlessStatus([404], docker.getVolume(name).inspect())) !== null);
  }

  /** @returns false if a container uses the volume. A missing volume counts as removed. */
  async removeVolume(name: string): Promise<boolean> {
    return this.engine.ask(async (docker) => {
      const removed = await unlessStatus(
        [409],
        unlessStatus([404], docker.getVolume(name).remove()).then(() => true),
      );
      return removed !== null;
    });
  }

  /** Returns the volumes of this instance that have a label, with all their labels. */
  async volumes(label: string): Promise<readonly { readonly name: string; readonly labels: Record<string, string> }[]> {
    const filters = { label: [label, `${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.engine.ask((docker) => docker.listVolumes({ filters }));
    return Volumes.map(({ Name, Labels }) => ({ name: Name, labels: Labels ?? {} }));
  }

  /**
   * Runs a task and returns its output.
   * @throws AishError `file_too_large` if the output exceeds `maxBytes`; `too_many`, and errors of the engine.
   */
  async run(task: HelperTask, signal: AbortSignal, maxBytes: number): Promise<HelperEnd & { readonly stdout: Buffer }> {
    const helper = await this.open(task, signal);
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const bytes of helper.output) {
        size += bytes.length;
        if (size > maxBytes) throw new AishError('file_too_large', `The result has more than ${maxBytes} bytes`);
        chunks.push(bytes);
      }
      return { ...(await helper.end()), stdout: Buffer.concat(chunks) };
    } finally {
      await helper.close();
    }
  }

  /** Starts a task. The caller must always `close` the helper. */
  async open(task: HelperTask, signal: AbortSignal): Promise<Helper> {
    await this.engine.ready();
    const giveBack = await this.slots.take(signal);
    if (giveBack === null) throw new AishError('aborted', 'The request was closed');
    try {
      return await this.start(task, signal, giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Removes helpers of this instance that another process left behind after a crash. */
  async sweep(): Promise<void> {
    const filters = { label: [`${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const found = await this.engine.ask((docker) => docker.listContainers({ all: true, filters }));
    for (const { Id, Labels } of found) {
      const id = Labels[HELPER_LABEL] ?? Labels[KEEPER_LABEL];
      if (id === undefined || this.own.has(id)) continue;
      await this.engine.ask((docker) =>
        unlessStatus([404, 409], docker.getContainer(Id).remove({ force: true, v: true })),
      );
    }
  }

  private async start(task: HelperTask, signal: AbortSignal, giveBack: () => void): Promise<Helper> {
    const id = randomUUID();
    this.own.add(id);
    const removeIt = (container: Docker.Container) =>
      this.engine.ask(() => unlessStatus([404, 409], container.remove({ force: true, v: true })));
    const workspace = task.volumes.find((volume) => volume.workspaceId !== undefined);
    const workspaceId = workspace?.workspaceId;
    let reading: Reading | null = null;
    let container: Docker.Container | null = null;
    let stream: Duplex;
    try {
      reading = workspaceId !== undefined && workspace?.readOnly === true ? await this.access.read(workspaceId) : null;
      const spec = this.spec(id, reading === null ? task : { ...task, volumes: shownBy(reading, task.volumes) });
      const create = () => this.engine.ask((docker) => docker.createContainer(spec));
      container = await (workspaceId === undefined || reading !== null
        ? create()
        : this.access.hold(workspaceId, create));
      const made = container;
      stream = await this.engine.attach(made.id, { stdin: task.input !== undefined });
      // The reader of the stream reports errors in more detail. A stream without an error listener would end this
      // process.
      stream.on('error', () => undefined);
      await this.engine.ask(() => made.start());
    } catch (error) {
      // If the helper cannot be removed now, the sweeper removes it later.
      this.own.delete(id);
      try {
        if (container !== null) await removeIt(container);
      } finally {
        await reading?.close();
      }
      throw error;
    }
    const started = container;
    const remove = async () => {
      try {
        await removeIt(started);
      } finally {
        this.own.delete(id);
        giveBack();
        await reading?.close();
      }
    };
    task.input?.on('error', () => stream.destroy()).pipe(stream, { end: false });
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(task.timeoutMs)]);
    return new Helper(this.engine, { container: started, stream }, bounded, remove);
  }

  private spec(
    id: string,
    {
      command,
      volumes,
      binds = [],
      sockets,
      env = [],
      input,
      timeoutMs,
      readsAll = false,
      label = HELPER_LABEL,
    }: HelperTask,
  ): Docker.ContainerCreateOptions {
    const instance = this.config.SANDBOX_INSTANCE;
    const deadline = new Date(Date.now() + timeoutMs);
    // A helper starts from the settings of a command's container, so that no limit is missing, but without its mounts
    // and network.
    const base = workplaceSpec({ workspaceId: id }, this.config);
    return {
      ...base,
      name: `aish-${label === KEEPER_LABEL ? 'keeper' : 'help'}-${instance}-${id}`,
      ...(readsAll ? { User: '0:0' } : {}),
      Cmd: [...command],
      Env: [...(base.Env ?? []), ...env],
      Labels: {
        [LABELS.instance]: instance,
        [label]: id,
        [LABELS.deadline]: deadline.toISOString(),
      },
      OpenStdin: input !== undefined,
      StdinOnce: input !== undefined,
      AttachStdin: input !== undefined,
      HostConfig: {
        ...base.HostConfig,
        NetworkMode: 'none',
        ...(readsAll ? { CapAdd: binds.length > 0 ? COPYING_TO_HOST : COPYING } : {}),
        Binds: [],
        Mounts: [
          ...volumes.map(({ volume, target, readOnly, noCopy = false, labels = {} }) => ({
            Type: 'volume' as const,
            Source: volume,
            Target: target,
            ReadOnly: readOnly,
            VolumeOptions: {
              NoCopy: noCopy,
              Labels: { ...labels, [LABELS.instance]: instance },
              DriverConfig: { Name: 'local', Options: {} },
            },
          })),
          ...binds.map(bindMount),
          // The mount has no propagation setting, because the engine refuses a private one below its own folder.
          ...(sockets === undefined
            ? []
            : [{ Type: 'bind' as const, Source: sockets.source, Target: sockets.target, ReadOnly: true }]),
        ],
        // The output of a helper is file content, which does not belong in a log.
        LogConfig: { Type: 'none', Config: {} },
      },
    };
  }
}

function shownBy({ volume }: Reading, volumes: readonly HelperVolume[]): readonly HelperVolume[] {
  return volumes.map((each) => (each.workspaceId === undefined ? each : { ...each, volume, noCopy: true, labels: {} }));
}

function bindMount({ source, target, readOnly }: HelperBind): Docker.MountSettings {
  const BindOptions = { Propagation: 'rprivate' as const, NonRecursive: true };
  return { Type: 'bind', Source: source, Target: target, ReadOnly: readOnly, BindOptions };
}
