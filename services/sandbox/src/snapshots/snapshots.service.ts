import { readFileSync } from 'node:fs';
import { AishError, type SandboxConfig, type Snapshot } from '@aish/contracts';
import type { HelperEngine, HelperTask, HelperVolume } from '../engine/helper.engine.js';
import { NEW_SESSION } from '../workspaces/session.js';
import type { WorkspaceHolds } from '../workspaces/workspace.holds.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { SnapshotRecord, SnapshotStore } from './snapshot.store.js';

// Beside dist and src alike.
const SCRIPT = readFileSync(new URL('../../scripts/snapshot.sh', import.meta.url), 'utf8').replaceAll(/^ *#.*\n/gm, '');
const MIB = 2 ** 20;
const COPY_TIMEOUT_MS = 110_000;
const ANSWER_MAX_BYTES = 1_024;
const ACTION = 'dev.aish.snapshot';
// Not the label of workspaces, whose volumes are counted as such.
const WORKSPACE = 'dev.aish.snapshot-of';

/** Copies of workspaces as they were before an action, each in a volume of its own. */
export class SnapshotsService {
  /** Workspaces that are being copied or put back, and copies that are being made. */
  private readonly busy = new Set<string>();

  constructor(
    private readonly helpers: HelperEngine,
    private readonly store: SnapshotStore,
    private readonly workspaces: WorkspaceStore,
    private readonly holds: WorkspaceHolds,
    private readonly isUsed: (workspaceId: string) => boolean,
    private readonly config: SandboxConfig,
  ) {}

  /** Newest first. */
  list(workspaceId: string): readonly Snapshot[] {
    return this.store.list(workspaceId).map(withoutSession);
  }

  /**
   * Copies the workspace, once per action: one that is there stays as it is. Older ones make room.
   * @throws AishError `snapshot_too_large`, `file_not_found` (no workspace), `locked`
   */
  async take(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot> {
    const known = this.store.find(workspaceId, actionId);
    if (known !== null) return withoutSession(known);
    await this.helpers.needWorkspace(workspaceId);
    return this.alone(workspaceId, async () => {
      const session = this.workspaces.session(workspaceId);
      const source = this.helpers.workspace(workspaceId, true, '/source');
      const copy: HelperVolume = {
        volume: this.volume(actionId),
        target: '/workspace',
        readOnly: false,
        labels: { [ACTION]: actionId, [WORKSPACE]: workspaceId },
      };
      const maxBytes = this.config.SNAPSHOTS_MAX_MB * MIB;
      const sizeBytes = Number(await this.step(['measure', String(maxBytes)], [source], signal));
      await this.makeRoom(workspaceId, maxBytes - sizeBytes);
      // What an earlier try left.
      await this.helpers.removeVolume(copy.volume);
      try {
        await this.step(['take'], [source, copy], signal);
      } catch (error) {
        await this.helpers.removeVolume(copy.volume);
        throw error;
      }
      const snapshot = { actionId, sizeBytes, createdAt: new Date().toISOString() };
      this.store.add(workspaceId, { ...snapshot, session });
      return snapshot;
    });
  }

  /**
   * Makes the workspace what it was. Cut short it may be neither; doing it again mends that, as the snapshot stays.
   * @throws AishError `snapshot_not_found`; `locked` while a command runs there.
   */
  async restore(workspaceId: string, actionId: string, signal: AbortSignal): Promise<Snapshot> {
    const snapshot = this.need(workspaceId, actionId);
    const volume = this.volume(actionId);
    if (!(await this.helpers.hasVolume(volume))) throw missing(actionId);
    return this.alone(workspaceId, async () => {
      if (this.isUsed(workspaceId)) throw locked(`A command uses workspace ${workspaceId}`);
      // Without a pause after that look: a command that comes now waits.
      const free = this.holds.hold(workspaceId);
      try {
        const source: HelperVolume = { volume, target: '/source', readOnly: true };
        await this.step(['restore'], [source, this.helpers.workspace(workspaceId, false)], signal);
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
    // In this order, so that one that is made meanwhile is not among them.
    for (const { name, labels } of await this.helpers.volumes(ACTION)) {
      const [workspaceId = '', actionId = ''] = [labels[WORKSPACE], labels[ACTION]];
      if (this.busy.has(workspaceId) || this.store.find(workspaceId, actionId) !== null) continue;
      await this.helpers.removeVolume(name);
    }
    for (const workspaceId of this.store.workspaces()) {
      if (this.busy.has(workspaceId) || (await this.helpers.hasWorkspace(workspaceId))) continue;
      for (const { actionId } of this.store.list(workspaceId)) await this.drop(workspaceId, actionId);
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
    await this.helpers.removeVolume(this.volume(actionId));
  }

  private async step(args: readonly string[], volumes: readonly HelperVolume[], signal: AbortSignal): Promise<string> {
    const command = ['bash', '-c', SCRIPT, 'aish', ...args];
    const task: HelperTask = { command, volumes, timeoutMs: COPY_TIMEOUT_MS, readsAll: true };
    const { exitCode, stderr, stdout } = await this.helpers.run(task, signal, ANSWER_MAX_BYTES);
    if (exitCode === 0) return stdout.toString();
    const max = `at most ${this.config.SNAPSHOTS_MAX_MB} MiB (SNAPSHOTS_MAX_MB)`;
    if (exitCode === 43) throw new AishError('snapshot_too_large', `There is no snapshot: ${stderr}, ${max}`);
    if (stderr.includes('No space left')) throw new AishError('disk_full', 'The disk is full');
    const why = exitCode === null ? 'it took too long' : (stderr.split('\n')[0] ?? '');
    throw new AishError('internal', `The workspace could not be copied: ${why}`);
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

  private need(workspaceId: string, actionId: string): SnapshotRecord {
    const snapshot = this.store.find(workspaceId, actionId);
    if (snapshot === null) throw missing(actionId);
    return snapshot;
  }

  private volume(actionId: string): string {
    return `aish-snap-${this.config.SANDBOX_INSTANCE}-${actionId}`;
  }
}

/** What its commands had exported is nobody else's business. */
function withoutSession({ actionId, sizeBytes, createdAt }: SnapshotRecord): Snapshot {
  return { actionId, sizeBytes, createdAt };
}

function missing(actionId: string): AishError {
  return new AishError('snapshot_not_found', `There is no snapshot of before action ${actionId}, or no more`);
}

function locked(why: string): AishError {
  return new AishError('locked', why, { retryAfterS: 2 });
}
