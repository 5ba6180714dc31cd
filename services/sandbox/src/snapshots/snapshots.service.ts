import type { Snapshot, UndoPreview, UndoScope } from '@aish/contracts/files';
import { AishError } from '@aish/contracts/problems';
import { NEW_SESSION } from '../workspaces/session.js';
import type { Holds } from '../layers/holds.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';
import type { LayerUndo } from './layer.undo.js';
import type { SnapshotCopies } from './snapshot.copies.js';
import type { SnapshotRecord, SnapshotStore } from './snapshot.store.js';

/**
 * Manages snapshots: workspaces as they were before an action. With layers there is one for every action. Without
 * layers there is one only if it was requested, as a copy in its own volume.
 */
export class SnapshotsService {
  /** The workspaces that are being copied or restored, and the copies that are being made. */
  private readonly busy = new Set<string>();

  constructor(
    private readonly copies: SnapshotCopies,
    private readonly store: SnapshotStore,
    private readonly workspaces: WorkspaceStore,
    private readonly use: WorkspaceUse,
    private readonly holds: Holds,
    private readonly undo: LayerUndo,
  ) {}

  /** Returns the snapshots, newest first. */
  async list(workspaceId: string): Promise<readonly Snapshot[]> {
    const layered = await this.undo.list(workspaceId);
    const copied = this.store.list(workspaceId).map(withoutSession);
    return [...layered, ...copied].toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  }

  /** Previews a `restore`. @throws AishError `snapshot_not_found` */
  async previewUndo(workspaceId: string, actionId: string, scope: UndoScope): Promise<UndoPreview> {
    const preview = await this.undo.previewUndo(workspaceId, actionId, scope);
    if (preview.effects === null) this.needWhole(workspaceId, actionId, scope);
    return preview;
  }

  /**
   * Takes a snapshot of the workspace, once for each action. An existing snapshot is kept. Older copies are removed to
   * make space.
   * @throws AishError `snapshot_too_large`, `file_not_found` (no workspace), `locked`
   */
  async take(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot> {
    const known = this.store.find(workspaceId, actionId);
    if (known !== null) return withoutSession(known);
    await this.copies.needWorkspace(workspaceId);
    const layered = await this.undo.begin(workspaceId, actionId);
    if (layered !== null) return layered;
    return this.alone(workspaceId, async () => {
      const session = this.workspaces.session(workspaceId);
      const sizeBytes = await this.copies.measure(workspaceId, signal);
      await this.makeRoom(workspaceId, this.copies.maxBytes - sizeBytes);
      await this.copies.make({ workspaceId, actionId }, signal);
      const snapshot = { actionId, sizeBytes, createdAt: new Date().toISOString() };
      this.store.add(workspaceId, { ...snapshot, session });
      return snapshot;
    });
  }

  /**
   * Restores the workspace. An interrupted restore leaves a mixture of files. Repeating the restore repairs that,
   * because the snapshot stays.
   * @throws AishError `snapshot_not_found`; `undo_overlaps`; `locked` while a command runs there
   */
  async restore(workspaceId: string, actionId: string, scope: UndoScope, signal: AbortSignal): Promise<Snapshot> {
    const needSettled = () => this.holds.needSettled(workspaceId);
    await needSettled();
    const undone = await this.alone(workspaceId, () => this.undo.restore(workspaceId, actionId, scope, needSettled));
    if (undone !== null) return undone;
    const snapshot = this.needWhole(workspaceId, actionId, scope);
    if (!(await this.copies.has(actionId))) throw missing();
    return this.alone(workspaceId, async () => {
      const free = this.use.hold(workspaceId);
      if (free === null) throw locked(`A command uses workspace ${workspaceId}`);
      try {
        await needSettled();
        await this.copies.putBack({ workspaceId, actionId }, signal);
        this.workspaces.saveSession(workspaceId, snapshot.session ?? NEW_SESSION);
      } finally {
        free();
      }
      return withoutSession(snapshot);
    });
  }

  /** @throws AishError `snapshot_not_found`, `locked` */
  async remove(workspaceId: string, actionId: string): Promise<void> {
    this.need(workspaceId, actionId);
    await this.alone(workspaceId, () => this.drop(workspaceId, actionId));
  }

  /** Removes all snapshots of a deleted workspace. The sweep removes a snapshot that is still being made. */
  async removeAll(workspaceId: string): Promise<void> {
    for (const { actionId } of this.store.list(workspaceId)) await this.drop(workspaceId, actionId);
  }

  /** Removes unfinished copies, and those of deleted workspaces. */
  async sweep(): Promise<void> {
    // The order matters: snapshots that are made in between are not affected.
    await this.copies.sweep(
      ({ workspaceId, actionId }) => this.busy.has(workspaceId) || this.store.find(workspaceId, actionId) !== null,
    );
    for (const workspaceId of this.store.workspaces()) {
      if (this.busy.has(workspaceId) || (await this.copies.hasWorkspace(workspaceId))) continue;
      await this.removeAll(workspaceId);
    }
  }

  private async makeRoom(workspaceId: string, roomBytes: number): Promise<void> {
    let kept = 0;
    for (const { actionId, sizeBytes } of this.store.list(workspaceId)) {
      kept += sizeBytes;
      if (kept > roomBytes) await this.drop(workspaceId, actionId);
    }
  }

  private async drop(workspaceId: string, actionId: string): Promise<void> {
    // The entry is removed first: without an entry, the volume counts as unfinished, and the sweep removes it.
    this.store.remove(workspaceId, actionId);
    await this.copies.remove(actionId);
  }

  private async alone<T>(workspaceId: string, act: () => Promise<T>): Promise<T> {
    if (this.busy.has(workspaceId)) throw locked(`Workspace ${workspaceId} is being copied or restored`);
    this.busy.add(workspaceId);
    try {
      return await act();
    } finally {
      this.busy.delete(workspaceId);
    }
  }

  /** Finds the copy of an action, and refuses `only`, because a copy can only be restored as a whole. */
  private needWhole(workspaceId: string, actionId: string, { only }: UndoScope): SnapshotRecord {
    const snapshot = this.need(workspaceId, actionId);
    if (!only) return snapshot;
    throw new AishError(
      'snapshot_not_found',
      `aish does not know which changes action ${actionId} made: it has only a copy of the workspace`,
    );
  }

  private need(workspaceId: string, actionId: string): SnapshotRecord {
    const snapshot = this.store.find(workspaceId, actionId);
    if (snapshot === null) throw missing();
    return snapshot;
  }
}

/** Removes the session, because the exported variables in it are private. */
function withoutSession({ actionId, sizeBytes, createdAt }: SnapshotRecord): Snapshot {
  return { actionId, sizeBytes, createdAt };
}

function missing(): AishError {
  return new AishError(
    'snapshot_not_found',
    'There is nothing to undo here: the command has not run yet, or its changes are no longer stored',
  );
}

function locked(why: string): AishError {
  return new AishError('locked', why, { retryAfterS: 2 });
}
