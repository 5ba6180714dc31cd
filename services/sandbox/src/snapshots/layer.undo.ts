import { setTimeout as sleep } from 'node:timers/promises';
import type { Snapshot, UndoPreview, UndoScope } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import type { FolderUndoPreview, HeldFolders } from '../layers/held.folders.js';
import { joinEffects } from '../layers/folder-changes.js';
import type { Undoable } from '../layers/layer.store.js';
import type { Layers } from '../layers/layers.js';
import { Session } from '../workspaces/session.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';

const FREE_WAIT_MS = 3_000;
const LOOK_EVERY_MS = 50;
const TOLD_PATHS = 10;

/** Works on a workspace while nothing uses it. Returns undefined if a command uses the workspace. */
interface Alone {
  alone<T>(workspaceId: string, work: () => Promise<T>): Promise<T | undefined>;
}

/** Undoes commands of any size at once by removing their layers. */
export class LayerUndo {
  constructor(
    private readonly layers: Layers,
    private readonly volumes: Alone,
    private readonly workspaces: WorkspaceStore,
    private readonly folders: HeldFolders,
  ) {}

  /** Returns the actions that can be undone, newest first. */
  async list(workspaceId: string): Promise<readonly Snapshot[]> {
    return (await this.layers.runs(workspaceId)).map(snapshotOf);
  }

  /** Previews the undo of an action. Returns no effects if the action's layers are gone. */
  async previewUndo(workspaceId: string, actionId: string, { only }: UndoScope): Promise<UndoPreview> {
    const preview = { ...(await this.layers.previewUndo(workspaceId, actionId, only)), direct: [] };
    const found = preview.effects === null ? undefined : await this.find(workspaceId, actionId);
    if (found === undefined) return preview;
    return withFolders(preview, await this.folders.previewUndo(await this.carriedSince(found, workspaceId, only)));
  }

  /** Makes sure that a starting action can be undone. Returns null if layers cannot provide that now. */
  async begin(workspaceId: string, actionId: string): Promise<Snapshot | null> {
    if (!(await this.note(workspaceId, actionId))) {
      // Something was uploaded since the last command, so the next command needs its own layer.
      await this.volumes.alone(workspaceId, () => this.layers.refresh(workspaceId));
      if (!(await this.note(workspaceId, actionId))) return null;
    }
    const found = (await this.layers.runs(workspaceId)).find(({ runId }) => runId === actionId);
    return found === undefined ? null : snapshotOf(found);
  }

  /**
   * Restores the workspace and its session to the state before an action or, with `only`, undoes just that action.
   * @param check throws while changes of a command wait for a verdict. A command may have begun and ended in the
   * meantime.
   * @returns null if the action's layers are gone
   * @throws AishError `locked` while something uses the workspace, `undo_overlaps`
   */
  async restore(
    workspaceId: string,
    actionId: string,
    { only }: UndoScope,
    check: () => Promise<void>,
  ): Promise<Snapshot | null> {
    const found = await this.find(workspaceId, actionId);
    if (found === undefined) return null;
    const isDone = await this.volumes.alone(workspaceId, async () => {
      await check();
      await this.giveBack(await this.carriedSince(found, workspaceId, only));
      // An unused container may still be stopping.
      for (const end = performance.now() + FREE_WAIT_MS; performance.now() < end; await sleep(LOOK_EVERY_MS)) {
        const undone = await this.layers.undo(workspaceId, actionId, only);
        if (undone === null) continue;
        if (undone.touched.length > 0) throw overlaps(undone.touched);
        if (!only) this.workspaces.saveSession(workspaceId, Session.parse(JSON.parse(found.kept)));
        return true;
      }
      return false;
    });
    if (isDone === true) return snapshotOf(found);
    throw new AishError('locked', `Something else is using workspace ${workspaceId}. Try again in a moment`, {
      retryAfterS: 2,
    });
  }

  private async find(workspaceId: string, actionId: string): Promise<Undoable | undefined> {
    return (await this.layers.runs(workspaceId)).find(({ runId }) => runId === actionId);
  }

  private carriedSince({ runId, beganAt }: Undoable, workspaceId: string, only: boolean): Promise<readonly string[]> {
    return this.folders.since(workspaceId, runId, only, beganAt);
  }

  /** Undoes the changes of runs in host folders, newest first. Each undo is complete or has no effect. */
  private async giveBack(runIds: readonly string[]): Promise<void> {
    if (runIds.length === 0) return;
    const previews = await this.folders.previewUndo(runIds);
    if (previews.some(({ undoable, effects }) => effects !== null && !undoable)) {
      throw new AishError(
        'snapshot_not_found',
        'The command overwrote more than SNAPSHOTS_MAX_MB in a host folder, so the old files were not kept',
      );
    }
    const touched = previews.flatMap((each) => each.touched);
    if (touched.length > 0) throw overlaps(touched);
    for (const runId of runIds) {
      const others = await this.folders.undo(runId);
      if (others.length > 0) throw overlaps(others);
    }
  }

  private note(workspaceId: string, actionId: string): Promise<boolean> {
    return this.layers.begin(workspaceId, actionId, JSON.stringify(this.workspaces.session(workspaceId)));
  }
}

function withFolders(preview: UndoPreview, inFolders: readonly FolderUndoPreview[]): UndoPreview {
  return {
    ...preview,
    effects: inFolders.reduce(
      (all, { effects }) => (effects === null ? all : joinEffects(effects, all ?? undefined)),
      preview.effects,
    ),
    touched: [...preview.touched, ...inFolders.flatMap(({ touched }) => touched)],
  };
}

function overlaps(paths: readonly string[]): AishError {
  const message = `Later commands have changed the same files: ${paths.slice(0, TOLD_PATHS).join(', ')}${paths.length > TOLD_PATHS ? ', and more' : ''}`;
  return new AishError('undo_overlaps', message, { paths });
}

function snapshotOf({ runId, beganAt, bytes }: Undoable): Snapshot {
  return { actionId: runId, sizeBytes: bytes, createdAt: beganAt.toISOString() };
}
