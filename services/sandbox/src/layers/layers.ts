import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import type { ChangeList, ListChanges } from '@aish/contracts/effects';
import { AishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { Hold, Read } from '../engine/hold.js';
import type { UndoPreview, LayerStore, Undoable } from './layer.store.js';
import { Turns } from '../scheduling/workspace.work.js';
import type { Overlays } from './overlays.js';
import { TRIAL_ID } from './probe.js';

/** What is read is on this machine's disk: as a rule its readers are gone by then. */
const READ_WAIT_MS = 5_000;

/**
 * Workspaces as stacks of layers. The volume of a workspace is an overlay whose upper folder was empty when the last
 * command began. It is made again, with one layer more, whenever nothing has it mounted and something was written.
 */
export class Layers implements BeforeApplicationShutdown {
  private readonly turns = new Turns();
  /** Resolve when a reader of a workspace is gone. */
  private readonly readers = new Map<string, Set<Promise<void>>>();
  private trying: Promise<string | null> | null = null;
  private whyNot: string | null = null;

  constructor(
    private readonly layerStore: LayerStore,
    private readonly overlays: Overlays,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * Makes a container that mounts a workspace. The volume exists, with a new layer if that was possible, and is not
   * replaced during the call.
   */
  readonly hold: Hold = async (workspaceId, make) => {
    const works = await this.works();
    return this.inTurn(workspaceId, async () => {
      if (works) await this.renew(workspaceId);
      else await this.giveBack(workspaceId);
      return make();
    });
  };

  /** Shows a workspace to a reader. Its layers stay until the reader is gone, while commands get new ones on top. */
  readonly read: Read = async (workspaceId) => {
    if (!(await this.works())) return null;
    return this.inTurn(workspaceId, async () => {
      const volume = await this.overlays.makeReading(workspaceId);
      if (volume === null) return null;
      const gone = this.enterReader(workspaceId);
      return { volume, close: () => this.overlays.removeReading(volume).finally(gone) };
    });
  };

  /** A new layer on top, where something was written. @returns false when something has the workspace mounted, or it has none. */
  refresh(workspaceId: string): Promise<boolean> {
    return this.inTurn(workspaceId, () => this.renew(workspaceId));
  }

  /** Does something to the layers of a workspace. @returns false when something has it mounted: nothing was done. */
  alone(workspaceId: string, work: () => Promise<void>): Promise<boolean> {
    return this.inTurn(workspaceId, async () => {
      if (!(await this.readersGone(workspaceId)) || !(await this.overlays.remove(workspaceId))) return false;
      await work();
      await this.renew(workspaceId);
      return true;
    });
  }

  /**
   * Makes a plain volume the base of layers.
   * Only while nothing has it mounted. The volume is what counts until it is removed.
   */
  adopt(workspaceId: string): Promise<void> {
    return this.inTurn(workspaceId, async () => {
      if ((await this.overlays.kindOf(workspaceId)) !== 'plain') return;
      const { workspaces, adopted } = await this.layerStore.list();
      if (workspaces.includes(workspaceId) && !adopted.includes(workspaceId)) {
        throw new AishError(
          'internal',
          `Workspace ${workspaceId} has layers and a volume of its own; nothing was done`,
        );
      }
      await this.layerStore.drop(workspaceId);
      await this.overlays.copyPlain(workspaceId);
      if (await this.overlays.remove(workspaceId)) await this.renew(workspaceId);
      else await this.layerStore.drop(workspaceId);
    });
  }

  /** Notes that a run begins, and what is to be known when it is undone. @returns whether it can be. */
  async begin(workspaceId: string, runId: string, kept: string): Promise<boolean> {
    if (!this.isOn) return false;
    try {
      return await this.layerStore.begin(workspaceId, runId, kept);
    } catch (error) {
      this.untold(runId, error);
      return false;
    }
  }

  /** The runs that can be undone, the newest first. */
  async runs(workspaceId: string): Promise<readonly Undoable[]> {
    return this.isOn ? this.layerStore.runs(workspaceId) : [];
  }

  /** All that a run did to its workspace, in pages. @throws AishError `changes_not_kept` */
  async changes(workspaceId: string, runId: string, { cursor = '0', limit }: ListChanges): Promise<ChangeList> {
    const page = this.isOn ? await this.layerStore.changes(workspaceId, runId, Number(cursor), limit) : null;
    if (page !== null) return page;
    const why = 'its layer has been merged or taken back, it had none, or it has not ended';
    throw new AishError('changes_not_kept', `What command ${runId} did to single files cannot be listed: ${why}`);
  }

  /** What undoing a run would do, or what it did `only`; without effects where its layers are not there. */
  async previewUndo(workspaceId: string, runId: string, only: boolean): Promise<UndoPreview> {
    return this.isOn ? this.layerStore.previewUndo(workspaceId, runId, only) : { effects: null, touched: [] };
  }

  /**
   * Makes the workspace what it was before a run, at once, or takes back what it did `only`.
   * @returns what others have touched since, so that nothing was done; null where something has it mounted.
   */
  async undo(
    workspaceId: string,
    runId: string,
    only: boolean,
  ): Promise<{ readonly touched: readonly string[] } | null> {
    let touched: readonly string[] = [];
    const isFree = await this.alone(workspaceId, async () => {
      touched = await this.layerStore.undo(workspaceId, runId, only);
    });
    return isFree ? { touched } : null;
  }

  /** Removes a workspace's volume and its layers. @returns false when a container uses it. */
  remove(workspaceId: string): Promise<boolean> {
    return this.inTurn(workspaceId, async () => {
      if (!(await this.readersGone(workspaceId)) || !(await this.overlays.remove(workspaceId))) return false;
      if (await this.overlays.hasAny()) await this.layerStore.drop(workspaceId);
      return true;
    });
  }

  /** Restores the volumes of workspaces that a crash interrupted while they were made again. */
  async recover(): Promise<void> {
    await this.works();
    if (!(await this.overlays.hasAny())) return;
    const { workspaces } = await this.layerStore.list();
    const withVolume = await this.overlays.workspaces();
    for (const workspaceId of workspaces) {
      if (workspaceId !== TRIAL_ID && !withVolume.has(workspaceId))
        await this.inTurn(workspaceId, () => this.giveBack(workspaceId));
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.layerStore.close();
  }

  /** Whether commands have layers, as far as is known now. */
  get isOn(): boolean {
    return this.config.SANDBOX_LAYERS === 'on' && this.whyNot === null;
  }

  /** Why commands have no layers; null when they have. */
  get whyOff(): string | null {
    return this.config.SANDBOX_LAYERS === 'on' ? this.whyNot : 'SANDBOX_LAYERS=off';
  }

  /** Why what commands do to this workspace cannot be held; null where it can, or could but for what uses it now. */
  async whyNone(workspaceId: string): Promise<string | null> {
    if (!this.isOn) return this.whyOff;
    const isPlain = (await this.overlays.kindOf(workspaceId)) === 'plain';
    return isPlain ? 'the workspace is from before layers' : null;
  }

  /** The same as `isOn`, once it was tried whether the engine can have them. @throws AishError when nobody can tell now. */
  async works(): Promise<boolean> {
    if (this.config.SANDBOX_LAYERS === 'off') return false;
    this.trying ??= this.tryOut();
    try {
      return (await this.trying) === null;
    } catch (error) {
      this.trying = null;
      throw error;
    }
  }

  private async tryOut(): Promise<string | null> {
    const hadAny = await this.overlays.hasAny();
    this.whyNot = await this.overlays.whyNone();
    if (this.whyNot !== null) {
      this.logger.warn({ why: this.whyNot }, 'commands have no layers: undo copies workspaces');
      if (!hadAny) await this.overlays.removeLayers();
    }
    return this.whyNot;
  }

  private async renew(workspaceId: string): Promise<boolean> {
    const kind = await this.overlays.kindOf(workspaceId);
    // A workspace from before there were layers: its files lie in the volume itself.
    if (kind === 'plain') return false;
    if (kind === 'overlay' && !(await this.overlays.remove(workspaceId))) return false;
    await this.make(workspaceId);
    return true;
  }

  private async make(workspaceId: string): Promise<void> {
    await this.overlays.make(workspaceId, this.readers.has(workspaceId) ? () => this.readersGone(workspaceId) : null);
  }

  private enterReader(workspaceId: string): () => void {
    const readers = this.readers.get(workspaceId) ?? new Set();
    this.readers.set(workspaceId, readers);
    let leave = (): void => undefined;
    const reader = new Promise<void>((resolve) => (leave = resolve));
    readers.add(reader);
    return () => {
      leave();
      readers.delete(reader);
      if (readers.size === 0) this.readers.delete(workspaceId);
    };
  }

  /** While nobody else has a turn, so that no reader comes. @returns false when there are some still after a while. */
  private async readersGone(workspaceId: string): Promise<boolean> {
    const readers = this.readers.get(workspaceId);
    if (readers === undefined) return true;
    const late = new AbortController();
    const waited = sleep(READ_WAIT_MS, false, { signal: late.signal }).catch(() => false);
    try {
      return await Promise.race([Promise.all(readers).then(() => true), waited]);
    } finally {
      late.abort();
    }
  }

  /** Where workspaces get no layers any more: those that have some keep them. */
  private async giveBack(workspaceId: string): Promise<void> {
    if ((await this.overlays.kindOf(workspaceId)) !== 'none' || !(await this.overlays.hasAny())) return;
    // It may have been removed since.
    if ((await this.layerStore.list()).workspaces.includes(workspaceId)) await this.make(workspaceId);
  }

  /**
   * Runs `work` while nobody replaces the volume of a workspace. `work` must not ask for a turn of the same workspace.
   */
  inTurn<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    return this.turns.take(workspaceId, work);
  }

  /** Notes why it cannot be told or undone what a run did. */
  untold(runId: string, error: unknown): void {
    this.logger.warn({ err: error, runId }, 'cannot tell what a run did to its files');
  }
}
