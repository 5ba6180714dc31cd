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
 * Workspaces as they were before an action: by the layers that there were then, of any action, or where there are no
 * layers by a copy in a volume of its own, of those that were asked for.
 */
export class SnapshotsService {
  /** Workspaces that are being copied or put back, and copies that are being made. */
  private readonly busy = new Set<string>();

  constructor(
    private readonly copies: SnapshotCopies,
    private readonly store: SnapshotStore,
    private readonly workspaces: WorkspaceStore,
    private readonly use: WorkspaceUse,
    private readonly holds: Holds,
    private readonly undo: LayerUndo,
  ) {}

  /** Newest first. */
  async list(workspaceId: string): Promise<readonly Snapshot[]> {
    const layered = await this.undo.list(workspaceId);
    const copied = this.store.list(workspaceId).map(withoutSession);
    return [...layered, ...copied].toSorted((one, other) => other.createdAt.localeCompare(one.createdAt));
  }

  /** What `restore` would do. @throws AishError `snapshot_not_found` */
  async previewUndo(workspaceId: string, actionId: string, scope: UndoScope): Promise<UndoPreview> {
    const preview = await this.undo.previewUndo(workspaceId, actionId, scope);
    if (preview.effects === null) this.needWhole(workspaceId, actionId, scope);
    return preview;
  }

  /**
   * Keeps the workspace as it is, once per action: one that is there stays as it is. Older copies make room.
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
   * Makes the workspace what it was. Cut short it may be neither; doing it again mends that, as the snapshot stays.
   * @throws AishError `snapshot_not_found`; `undo_overlaps`; `locked` while a command runs there.
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

  /** All of a workspace that is no more. One that is being made is swept. */
  async removeAll(workspaceId: string): Promise<void> {
    for (const { actionId } of this.store.list(workspaceId)) await this.drop(workspaceId, actionId);
  }

  /** Removes copies that were not finished, and those of workspaces that are no more. */
  async sweep(): Promise<void> {
    // In this order, so that a snapshot that is made in between is not among them.
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
    // The entry first: without it the volume counts as unfinished, and the sweep sees to it.
    this.store.remove(workspaceId, actionId);
    await this.copies.remove(actionId);
  }

  private async alone<T>(workspaceId: string, act: () => Promise<T>): Promise<T> {
    if (this.busy.has(workspaceId)) throw locked(`Workspace ${workspaceId} is being copied or put back`);
    this.busy.add(workspaceId);
    try {
      return await act();
    } finally {
      this.busy.delete(workspaceId);
    }
  }

  /** A copy puts all back. */
  private needWhole(workspaceId: string, actionId: string, { only }: UndoScope): SnapshotRecord {
    const snapshot = this.need(workspaceId, actionId);
    if (!only) return snapshot;
    throw new AishError('snapshot_not_found', `What action ${actionId} did alone is not known: there is a copy only`);
  }

  private need(workspaceId: string, actionId: string): SnapshotRecord {
    const snapshot = this.store.find(workspaceId, actionId);
    if (snapshot === null) throw missing();
    return snapshot;
  }
}

/** What its commands had exported is nobody else's business. */
function withoutSession({ actionId, sizeBytes, createdAt }: SnapshotRecord): Snapshot {
  return { actionId, sizeBytes, createdAt };
}

function missing(): AishError {
  return new AishError(
    'snapshot_not_found',
    'There is nothing to undo here: the command has not run yet, or what it changed is no longer kept',
  );
}

function locked(why: string): AishError {
  return new AishError('locked', why, { retryAfterS: 2 });
}
