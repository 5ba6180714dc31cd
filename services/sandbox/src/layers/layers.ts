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

/** The maximum wait for readers. They copy to this machine's disk, so they are usually done within this time. */
const READ_WAIT_MS = 5_000;

/**
 * Manages workspaces as stacks of layers. The volume of a workspace is an overlay, and its upper folder was empty when
 * the last command began. When something has been written and nothing has the volume mounted, the volume is replaced by
 * one with a new layer on top.
 */
export class Layers implements BeforeApplicationShutdown {
  private readonly turns = new Turns();
  /** Each promise resolves when a reader of the workspace is gone. */
  private readonly readers = new Map<string, Set<Promise<void>>>();
  private trying: Promise<string | null> | null = null;
  private whyNot: string | null = null;
  private isTested = false;

  constructor(
    private readonly layerStore: LayerStore,
    private readonly overlays: Overlays,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * Creates a container that mounts a workspace. The volume exists, has a new layer if that was possible, and is not
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

  /** Shows a workspace to a reader. The layers stay until the reader is gone, while commands get new ones on top. */
  readonly read: Read = async (workspaceId) => {
    if (!(await this.works())) return null;
    return this.inTurn(workspaceId, async () => {
      const volume = await this.overlays.makeReading(workspaceId);
      if (volume === null) return null;
      const gone = this.enterReader(workspaceId);
      return { volume, close: () => this.overlays.removeReading(volume).finally(gone) };
    });
  };

  /**
   * Adds a new layer if something was written. @returns false if something has the workspace mounted, or if the
   * workspace does not exist
   */
  refresh(workspaceId: string): Promise<boolean> {
    return this.inTurn(workspaceId, () => this.renew(workspaceId));
  }

  /**
   * Works on the layers of a workspace. @returns false if something has the workspace mounted, in which case nothing
   * was done
   */
  alone(workspaceId: string, work: () => Promise<void>): Promise<boolean> {
    return this.inTurn(workspaceId, async () => {
      if (!(await this.readersGone(workspaceId)) || !(await this.overlays.remove(workspaceId))) return false;
      await work();
      await this.renew(workspaceId);
      return true;
    });
  }

  /**
   * Turns a plain volume into a base layer. Call this only while nothing has the volume mounted. The volume stays
   * authoritative until it is removed.
   */
  adopt(workspaceId: string): Promise<void> {
    return this.inTurn(workspaceId, async () => {
      if ((await this.overlays.kindOf(workspaceId)) !== 'plain') return;
      const { workspaces, adopted } = await this.layerStore.list();
      if (workspaces.includes(workspaceId) && !adopted.includes(workspaceId)) {
        throw new AishError(
          'internal',
          `Workspace ${workspaceId} has both layers and its own volume. Nothing was done`,
        );
      }
      await this.layerStore.drop(workspaceId);
      await this.overlays.copyPlain(workspaceId);
      if (await this.overlays.remove(workspaceId)) await this.renew(workspaceId);
      else await this.layerStore.drop(workspaceId);
    });
  }

  /** Records the beginning of a run, and the data that its undo needs. @returns whether the run can be undone */
  async begin(workspaceId: string, runId: string, kept: string): Promise<boolean> {
    if (!this.isOn) return false;
    try {
      return await this.layerStore.begin(workspaceId, runId, kept);
    } catch (error) {
      this.logUnreported(runId, error);
      return false;
    }
  }

  /** Returns the runs that can be undone, newest first. */
  async runs(workspaceId: string): Promise<readonly Undoable[]> {
    return this.isOn ? this.layerStore.runs(workspaceId) : [];
  }

  /** Returns all changes of a run in its workspace, in pages. @throws AishError `changes_not_kept` */
  async changes(workspaceId: string, runId: string, { cursor = '0', limit }: ListChanges): Promise<ChangeList> {
    const page = this.isOn ? await this.layerStore.changes(workspaceId, runId, Number(cursor), limit) : null;
    if (page !== null) return page;
    const why = 'its layer has been merged or undone, it had none, or it has not ended';
    throw new AishError(
      'changes_not_kept',
      `The changes of command ${runId} to individual files cannot be listed: ${why}`,
    );
  }

  /**
   * Previews the undo of all runs since this one or, with `only`, of just this run. Returns no effects if the layers
   * are gone.
   */
  async previewUndo(workspaceId: string, runId: string, only: boolean): Promise<UndoPreview> {
    return this.isOn ? this.layerStore.previewUndo(workspaceId, runId, only) : { effects: null, touched: [] };
  }

  /**
   * Restores the workspace at once to its state before a run or, with `only`, undoes just that run.
   * @returns the paths that anyone else has changed since, in which case nothing was undone; null if something has the
   * workspace mounted
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

  /** Removes a workspace's volume and its layers. @returns false if a container uses the volume */
  remove(workspaceId: string): Promise<boolean> {
    return this.inTurn(workspaceId, async () => {
      if (!(await this.readersGone(workspaceId)) || !(await this.overlays.remove(workspaceId))) return false;
      if (await this.overlays.hasAny()) await this.layerStore.drop(workspaceId);
      return true;
    });
  }

  /** Restores volumes whose replacement was interrupted by a crash. */
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

  /** Whether commands have layers, as far as this is known now. */
  get isOn(): boolean {
    return this.config.SANDBOX_LAYERS === 'on' && this.whyNot === null;
  }

  /** The reason why commands have no layers, or null if they have layers. */
  get whyOff(): string | null {
    return this.config.SANDBOX_LAYERS === 'on' ? this.whyNot : 'SANDBOX_LAYERS=off';
  }

  /** Like `whyOff`, but undefined before the test. */
  get tested(): string | null | undefined {
    return this.isTested || this.config.SANDBOX_LAYERS === 'off' ? this.whyOff : undefined;
  }

  /**
   * Returns the reason why changes in this workspace cannot be held. Returns null if they can, or if they could once
   * nothing uses the workspace.
   */
  async whyNone(workspaceId: string): Promise<string | null> {
    if (!this.isOn) return this.whyOff;
    const isPlain = (await this.overlays.kindOf(workspaceId)) === 'plain';
    return isPlain ? 'the workspace is from before layers' : null;
  }

  /**
   * Like `isOn`, but first tests whether the engine supports layers. @throws AishError if that cannot be determined now
   */
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
    this.isTested = true;
    if (this.whyNot !== null) {
      this.logger.warn({ why: this.whyNot }, 'commands have no layers: undo copies workspaces');
      if (!hadAny) await this.overlays.removeLayers();
    }
    return this.whyNot;
  }

  private async renew(workspaceId: string): Promise<boolean> {
    const kind = await this.overlays.kindOf(workspaceId);
    // This workspace was created before layers existed, so its files are in the volume itself.
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

  /**
   * Waits until no reader is left. Call this in a turn of the workspace, so that no new reader arrives. @returns false
   * if some readers remain after the maximum wait
   */
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

  /**
   * Restores the plain volume of a workspace, because this service no longer creates layers. A workspace that has
   * layers keeps them.
   */
  private async giveBack(workspaceId: string): Promise<void> {
    if ((await this.overlays.kindOf(workspaceId)) !== 'none' || !(await this.overlays.hasAny())) return;
    // The workspace may have been removed in the meantime.
    if ((await this.layerStore.list()).workspaces.includes(workspaceId)) await this.make(workspaceId);
  }

  /**
   * Runs `work` while nobody replaces the volume of a workspace. `work` must not ask for a turn of the same workspace.
   */
  inTurn<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    return this.turns.take(workspaceId, work);
  }

  /** Logs the reason why the effects of a run cannot be reported or undone. */
  logUnreported(runId: string, error: unknown): void {
    this.logger.warn({ err: error, runId }, 'cannot tell what a run did to its files');
  }
}
