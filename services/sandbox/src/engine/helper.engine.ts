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
/** In its place on the one helper that lives as long as the service. */
export const KEEPER_LABEL = 'dev.aish.keeper';
/** Allows to read and write with any permissions, and to set the owner, permissions and times of copies. */
const COPYING = ['DAC_OVERRIDE', 'DAC_READ_SEARCH', 'CHOWN', 'FOWNER'];
/** The same where folders keep a setgid bit. */
const COPYING_TO_HOST = [...COPYING, 'FSETID'];
/** One of them is the keeper of the layers. */
const AT_ONCE = 5;
const QUEUED = 32;

export interface HelperVolume {
  /** Name of a volume; one that is not there is made. */
  readonly volume: string;
  /** Whose volume it is, when it is that of a workspace. */
  readonly workspaceId?: string;
  readonly target: '/workspace' | '/source';
  readonly readOnly: boolean;
  /** The engine changes nothing in it. It would make an empty one look like the image, which fails where nothing may be written. */
  readonly noCopy?: boolean;
  /** For a volume that is made. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** A folder of the host, without what is mounted below it. */
interface HelperBind {
  readonly source: string;
  readonly target: string;
  readonly readOnly: boolean;
}

export interface HelperTask {
  readonly command: readonly string[];
  readonly volumes: readonly HelperVolume[];
  readonly binds?: readonly HelperBind[];
  /** A folder of this service's own, in which it listens; it may lie in a volume of the engine's. */
  readonly sockets?: { readonly source: string; readonly target: string };
  readonly env?: readonly string[];
  /** Given on stdin. The end of it is not told: the command knows how much it takes. */
  readonly input?: Readable;
  readonly timeoutMs: number;
  /**
   * Whether it gets past what files and folders forbid their owner: for this service's own scripts alone. A workspace
   * may hold files that their owner cannot read, and is to be copied all the same.
   */
  readonly readsAll?: boolean;
  readonly label?: typeof HELPER_LABEL | typeof KEEPER_LABEL;
}

/**
 * Containers that do this service's own work on a volume: as hardened as a command's, without network, with nothing
 * mounted but what they work on. What a path or an archive may trick them into stays inside: what is not the
 * workspace is the image, which anybody may read and nobody can write.
 */
export class HelperEngine {
  private readonly slots = new Slots(AT_ONCE, QUEUED);
  private readonly own = new Set<string>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
    private readonly access: VolumeAccess,
  ) {}

  /** The volume of a workspace, for a helper. */
  workspace(workspaceId: string, readOnly: boolean, target: HelperVolume['target'] = '/workspace'): HelperVolume {
    const labels = { [LABELS.workspace]: workspaceId };
    return { volume: volumeName(this.config.SANDBOX_INSTANCE, workspaceId), workspaceId, target, readOnly, labels };
  }

  /** @throws AishError `file_not_found` when no command has run there and nothing was put there. */
  async needWorkspace(workspaceId: string): Promise<void> {
    if (await this.hasWorkspace(workspaceId)) return;
    throw new AishError('file_not_found', `Workspace ${workspaceId} is not there yet`);
  }

  /** True also between two commands, while the volume is removed and made again on another layer. */
  hasWorkspace(workspaceId: string): Promise<boolean> {
    return this.access.inTurn(workspaceId, () => this.hasVolume(volumeName(this.config.SANDBOX_INSTANCE, workspaceId)));
  }

  hasVolume(name: string): Promise<boolean> {
    return this.engine.ask(async (docker) => (await unlessStatus([404], docker.getVolume(name).inspect())) !== null);
  }

  /** @returns false when a container uses it. One that is not there is as good as removed. */
  async removeVolume(name: string): Promise<boolean> {
    return this.engine.ask(async (docker) => {
      const removed = await unlessStatus(
        [409],
        unlessStatus([404], docker.getVolume(name).remove()).then(() => true),
      );
      return removed !== null;
    });
  }

  /** This instance's volumes that carry a label, with its labels. */
  async volumes(label: string): Promise<readonly { readonly name: string; readonly labels: Record<string, string> }[]> {
    const filters = { label: [label, `${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.engine.ask((docker) => docker.listVolumes({ filters }));
    return Volumes.map(({ Name, Labels }) => ({ name: Name, labels: Labels ?? {} }));
  }

  /**
   * Runs a task to its end and gives what it printed.
   * @throws AishError `file_too_large` when that is more than `maxBytes`; `too_many`, and what the engine says.
   */
  async run(task: HelperTask, signal: AbortSignal, maxBytes: number): Promise<HelperEnd & { readonly stdout: Buffer }> {
    const helper = await this.open(task, signal);
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const bytes of helper.output) {
        size += bytes.length;
        if (size > maxBytes) throw new AishError('file_too_large', `There is more to tell than ${maxBytes} bytes`);
        chunks.push(bytes);
      }
      return { ...(await helper.end()), stdout: Buffer.concat(chunks) };
    } finally {
      await helper.close();
    }
  }

  /** Starts a task. The caller must always `close` the helper in the end. */
  async open(task: HelperTask, signal: AbortSignal): Promise<Helper> {
    await this.engine.ready();
    const giveBack = await this.slots.take(signal);
    if (giveBack === null) throw new AishError('aborted', 'Nobody waits for this any more');
    try {
      return await this.start(task, signal, giveBack);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Removes the helpers of this instance that are not this process's own: a crash left them. */
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
      const options = { stream: true, stdin: task.input !== undefined, stdout: true, stderr: true, hijack: true };
      const made = container;
      stream = await this.engine.ask(() => made.attach(options) as Promise<Duplex>);
      // Its reader says more of how it ended; a stream without a listener for errors would end this process.
      stream.on('error', () => undefined);
      await this.engine.ask(() => made.start());
    } catch (error) {
      // What cannot be removed now is nobody's, and the sweep sees to it.
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
    // A command's own, so that no limit of those is forgotten here; its mounts and its network are not taken over.
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
          // Without a word on propagation: the engine refuses the private one below its own folder.
          ...(sockets === undefined
            ? []
            : [{ Type: 'bind' as const, Source: sockets.source, Target: sockets.target, ReadOnly: true }]),
        ],
        // What it prints are files, which belong into no log.
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
