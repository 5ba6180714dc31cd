import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { AishError } from '@aish/contracts/problems';
import { LABELS, volumeName } from '../engine/container-spec.js';
import type { DockerEngine } from '../engine/docker.engine.js';
import { unlessStatus } from '../engine/engine-answer.js';
import type { HelperEngine } from '../engine/helper.engine.js';
import { layersVolume } from './keeper.line.js';
import type { LayerStore, Kept } from './layer.store.js';
import { whyNoLayers } from './probe.js';
import { shellScript } from '../engine/script.js';

const ADOPT = shellScript('adopt.sh');
const ADOPT_TIMEOUT_MS = 10 * 60_000;
const ANSWER_MAX_BYTES = 1_024;
const MIB = 2 ** 20;
const DAY_S = 86_400;
/** All options of a mount must fit into one memory page. */
const OPTIONS_MAX_CHARS = 4_000;
const REMOVE_WAIT_MS = 3_000;
const REMOVE_EVERY_MS = 50;
/** This label marks volumes that only readers mount. They are not workspaces, so they have no label of a workspace. */
const READING_LABEL = 'dev.aish.reading';

/** Manages the volumes of workspaces in the engine. They are overlays of the keeper's layers, or plain volumes. */
export class Overlays {
  private mountpoint: string | null = null;
  private readonly readings = new Set<string>();

  constructor(
    private readonly layerStore: LayerStore,
    private readonly helpers: HelperEngine,
    private readonly engine: DockerEngine,
    private readonly config: SandboxConfig,
  ) {}

  /**
   * Creates the overlay of a workspace, with an empty top layer. @returns its name
   * @param read waits until nobody reads the layers any more, which a merge needs. It resolves with false if readers
   * remain after a while. Null means that there are no readers.
   * @throws AishError `engine_unavailable` if there are more layers than a mount can have, and someone reads them
   */
  async make(workspaceId: string, read: (() => Promise<boolean>) | null = null): Promise<string> {
    const layer = await this.layersOf(workspaceId);
    const kept = this.kept(layer(0));
    let { layers, due } = await this.layerStore.top(workspaceId, kept, read !== null);
    if (due && (await read?.()) === true) ({ layers, due } = await this.layerStore.top(workspaceId, kept, false));
    if (due && layers.length > kept.depth + 1) throw stillRead(workspaceId);
    const [top, ...below] = layers.toReversed();
    const lower = below.map((n) => `${layer(n)}/u`).join(':');
    const o = `lowerdir=${lower},upperdir=${layer(top ?? 0)}/u,workdir=${layer(top ?? 0)}/w,userxattr`;
    return this.mount(this.nameOf(workspaceId), o, { [LABELS.workspace]: workspaceId });
  }

  /**
   * Creates a read-only volume with the current state of a workspace, independent of its own volume. The layers must
   * stay until `removeReading`. @returns its name, or null if there are no layers to read now
   */
  async makeReading(workspaceId: string): Promise<string | null> {
    const layers = await this.layerStore.readable(workspaceId);
    if (layers.length === 0) return null;
    const layer = await this.layersOf(workspaceId);
    const lower = layers.toReversed().map((n) => `${layer(n)}/u`);
    const id = randomUUID();
    const name = `aish-read-${this.config.SANDBOX_INSTANCE}-${id}`;
    this.readings.add(id);
    // A command may be writing to the highest layer, and a kernel that keeps an index would refuse to mount that layer
    // twice.
    return this.mount(name, `lowerdir=${lower.join(':')},userxattr,index=off`, { [READING_LABEL]: id });
  }

  async removeReading(name: string): Promise<void> {
    await this.helpers.removeVolume(name);
    this.readings.delete(name.slice(`aish-read-${this.config.SANDBOX_INSTANCE}-`.length));
  }

  /** Removes the volumes of readers if a crash left the volumes behind. */
  async sweepReadings(): Promise<void> {
    for (const { name, labels } of await this.helpers.volumes(READING_LABEL)) {
      if (!this.readings.has(labels[READING_LABEL] ?? '')) await this.helpers.removeVolume(name);
    }
  }

  /** @returns false if something has the volume mounted */
  remove(workspaceId: string): Promise<boolean> {
    return this.engine.removeVolume(workspaceId);
  }

  async kindOf(workspaceId: string): Promise<'none' | 'plain' | 'overlay'> {
    const name = this.nameOf(workspaceId);
    const there = await this.engine.ask((docker) => unlessStatus([404], docker.getVolume(name).inspect()));
    if (there === null) return 'none';
    return there.Options?.['type'] === 'overlay' ? 'overlay' : 'plain';
  }

  /** Returns the workspaces that have a volume. */
  workspaces(): Promise<ReadonlySet<string>> {
    return this.engine.workspaces();
  }

  /** Returns the workspaces whose volume is not an overlay. */
  async plain(): Promise<readonly string[]> {
    const filters = { label: [LABELS.workspace, `${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.engine.ask((docker) => docker.listVolumes({ filters }));
    return Volumes.filter(({ Options }) => Options?.['type'] !== 'overlay').flatMap(
      ({ Labels }) => Labels[LABELS.workspace] ?? [],
    );
  }

  /** Copies a plain volume into the keeper's storage. @throws AishError `disk_full` */
  async copyPlain(workspaceId: string): Promise<void> {
    const volume = this.nameOf(workspaceId);
    const task = {
      command: ['bash', '-c', ADOPT, 'aish', workspaceId, String(this.config.DISK_FREE_MIN_MB * 1_024)],
      volumes: [
        { volume, target: '/source' as const, readOnly: true },
        { volume: this.layersVolume, target: '/workspace' as const, readOnly: false },
      ],
      timeoutMs: ADOPT_TIMEOUT_MS,
      readsAll: true,
    };
    const { exitCode, stderr } = await this.helpers.run(task, new AbortController().signal, ANSWER_MAX_BYTES);
    if (exitCode === 0) return;
    if (exitCode === 43)
      throw new AishError('disk_full', `The disk has no space for a copy of workspace ${workspaceId}. Free some space`);
    throw new AishError('internal', `The workspace could not be copied (exit code ${exitCode}): ${stderr.trim()}`);
  }

  /** Returns whether any workspace has layers. */
  hasAny(): Promise<boolean> {
    return this.helpers.hasVolume(this.layersVolume);
  }

  /**
   * Returns the reason why this engine cannot create overlays, or null if it can. @throws AishError if that cannot be
   * determined now
   */
  whyNone(): Promise<string | null> {
    return whyNoLayers(this.helpers, this.layerStore, this);
  }

  /** Removes the volume of the layers. Call this only when the keeper is stopping and only test layers are left. */
  async removeLayers(): Promise<void> {
    await this.layerStore.close();
    for (const end = performance.now() + REMOVE_WAIT_MS; performance.now() < end; await sleep(REMOVE_EVERY_MS)) {
      if (await this.helpers.removeVolume(this.layersVolume)) return;
    }
  }

  private async mount(Name: string, o: string, labels: Readonly<Record<string, string>>): Promise<string> {
    await this.engine.ask((docker) =>
      docker.createVolume({
        Name,
        Driver: 'local',
        DriverOpts: { type: 'overlay', device: 'overlay', o },
        Labels: { [LABELS.instance]: this.config.SANDBOX_INSTANCE, ...labels },
      }),
    );
    return Name;
  }

  /** Returns a function from the number of a layer to its path on the engine's machine. */
  private async layersOf(workspaceId: string): Promise<(n: number) => string> {
    const folder = await this.folder();
    return (n) => `${folder}/${workspaceId}/${n}`;
  }

  private nameOf(workspaceId: string): string {
    return volumeName(this.config.SANDBOX_INSTANCE, workspaceId);
  }

  private get layersVolume(): string {
    return layersVolume(this.config.SANDBOX_INSTANCE);
  }

  private kept(path: string): Kept {
    const fits = Math.floor(OPTIONS_MAX_CHARS / (path.length + 6)) - 2;
    return {
      // The base and the top layer are needed in addition to the layers that can be undone.
      depth: Math.min(this.config.UNDO_COMMANDS + 2, fits),
      bytes: this.config.SNAPSHOTS_MAX_MB * MIB,
      seconds: this.config.UNDO_DAYS * DAY_S,
    };
  }

  private async folder(): Promise<string> {
    if (this.mountpoint === null) {
      // The call starts the keeper, which creates the volume.
      await this.layerStore.list();
      this.mountpoint = await this.engine.mountpointOf(this.layersVolume);
    }
    if (/[,:\\]/.test(this.mountpoint)) {
      throw new AishError('invalid_config', `aish cannot mount an overlay from ${this.mountpoint}`);
    }
    return this.mountpoint;
  }
}

function stillRead(workspaceId: string): AishError {
  const why = `Someone is reading the files of workspace ${workspaceId}, but its oldest layers must be merged first`;
  return new AishError('engine_unavailable', why, { retryAfterS: 2 });
}
