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
/** All options of a mount fit one page. */
const OPTIONS_MAX_CHARS = 4_000;
const REMOVE_WAIT_MS = 3_000;
const REMOVE_EVERY_MS = 50;
/** On volumes that only readers mount. They are no workspaces, so they do not have that label. */
const READING_LABEL = 'dev.aish.reading';

/** The volumes of workspaces as the engine has them: overlays, made of the layers that the keeper has, or plain ones. */
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
   * Makes one for a workspace, with an empty layer on top. @returns its name.
   * @param read resolves when nobody reads the layers any more, which is needed to merge some, or with false after a while;
   *   null: nobody does.
   * @throws AishError `engine_unavailable` when there are more layers than a mount takes, and somebody reads them
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
   * Makes a read-only volume that shows a workspace as it is now and does not depend on its own volume. The layers must
   * stay until `removeReading`. @returns its name; null where there are no layers to read now.
   */
  async makeReading(workspaceId: string): Promise<string | null> {
    const layers = await this.layerStore.readable(workspaceId);
    if (layers.length === 0) return null;
    const layer = await this.layersOf(workspaceId);
    const lower = layers.toReversed().map((n) => `${layer(n)}/u`);
    const id = randomUUID();
    const name = `aish-read-${this.config.SANDBOX_INSTANCE}-${id}`;
    this.readings.add(id);
    // A command may be writing to the highest one: a kernel that keeps an index would refuse to mount it twice.
    return this.mount(name, `lowerdir=${lower.join(':')},userxattr,index=off`, { [READING_LABEL]: id });
  }

  async removeReading(name: string): Promise<void> {
    await this.helpers.removeVolume(name);
    this.readings.delete(name.slice(`aish-read-${this.config.SANDBOX_INSTANCE}-`.length));
  }

  /** Removes volumes for readers that a crash left. */
  async sweepReadings(): Promise<void> {
    for (const { name, labels } of await this.helpers.volumes(READING_LABEL)) {
      if (!this.readings.has(labels[READING_LABEL] ?? '')) await this.helpers.removeVolume(name);
    }
  }

  /** @returns false when something has it mounted. */
  remove(workspaceId: string): Promise<boolean> {
    return this.engine.removeVolume(workspaceId);
  }

  async kindOf(workspaceId: string): Promise<'none' | 'plain' | 'overlay'> {
    const name = this.nameOf(workspaceId);
    const there = await this.engine.ask((docker) => unlessStatus([404], docker.getVolume(name).inspect()));
    if (there === null) return 'none';
    return there.Options?.['type'] === 'overlay' ? 'overlay' : 'plain';
  }

  /** The workspaces that have a volume. */
  workspaces(): Promise<ReadonlySet<string>> {
    return this.engine.workspaces();
  }

  /** The workspaces whose volume is no overlay. */
  async plain(): Promise<readonly string[]> {
    const filters = { label: [LABELS.workspace, `${LABELS.instance}=${this.config.SANDBOX_INSTANCE}`] };
    const { Volumes } = await this.engine.ask((docker) => docker.listVolumes({ filters }));
    return Volumes.filter(({ Options }) => Options?.['type'] !== 'overlay').flatMap(
      ({ Labels }) => Labels[LABELS.workspace] ?? [],
    );
  }

  /** Copies a plain volume to where the keeper has the layers of its workspace. @throws AishError `disk_full` */
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
    if (exitCode === 43) throw new AishError('disk_full', 'There is no room for a copy of it, which takes its place');
    throw new AishError('internal', `Copying it ended with ${exitCode}: ${stderr.trim()}`);
  }

  /** Whether there are layers of any workspace. */
  hasAny(): Promise<boolean> {
    return this.helpers.hasVolume(this.layersVolume);
  }

  /** Why no overlays can be made here; null where they can. @throws AishError when nobody can tell now. */
  whyNone(): Promise<string | null> {
    return whyNoLayers(this.helpers, this.layerStore, this);
  }

  /** Where nothing is in them but what was tried, and the keeper is on its way out. */
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

  /** Where the engine has the layers of a workspace, by number. */
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
      // Beside those that can be undone there is the base, and the one that is written to next.
      depth: Math.min(this.config.UNDO_COMMANDS + 2, fits),
      bytes: this.config.SNAPSHOTS_MAX_MB * MIB,
      seconds: this.config.UNDO_DAYS * DAY_S,
    };
  }

  private async folder(): Promise<string> {
    if (this.mountpoint === null) {
      // The keeper makes the volume.
      await this.layerStore.list();
      this.mountpoint = await this.engine.mountpointOf(this.layersVolume);
    }
    if (/[,:\\]/.test(this.mountpoint)) {
      throw new AishError('invalid_config', `No overlay can be mounted from ${this.mountpoint}`);
    }
    return this.mountpoint;
  }
}

function stillRead(workspaceId: string): AishError {
  const why = `Somebody reads the files of workspace ${workspaceId}, and its oldest layers must be merged first`;
  return new AishError('engine_unavailable', why, { retryAfterS: 2 });
}
