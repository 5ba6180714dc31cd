import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { SshBridge } from '../hosts/ssh.bridge.js';
import type { NetworkGate } from '../network/network.gate.js';
import type { OutputStore } from '../outputs/output.store.js';
import type { SnapshotsService } from '../snapshots/snapshots.service.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { WorkspaceVolumes } from './workspace.volumes.js';

/** Everything that belongs to workspaces, except their volumes. */
export interface WorkspaceParts {
  readonly snapshots: SnapshotsService;
  readonly store: WorkspaceStore;
  readonly gate: NetworkGate;
  readonly bridge: SshBridge;
  readonly outputs: OutputStore;
}

/** Removes workspaces with everything that belongs to them: volume, snapshots, network policy and records. */
export class WorkspaceRemoval {
  constructor(
    private readonly volumes: WorkspaceVolumes,
    private readonly belongings: WorkspaceParts,
    /** This folder has an empty file for each workspace that is being removed. */
    private readonly folder: string,
  ) {}

  /**
   * Removes a workspace. A missing workspace counts as removed. If the engine is unavailable, the volume is removed
   * later, even after a restart, because the caller will not ask again.
   * @throws AishError `locked` while a run uses the workspace
   */
  async remove(workspaceId: string): Promise<void> {
    if (this.volumes.isUsed(workspaceId)) throw inUse(workspaceId);
    this.mark(workspaceId);
    try {
      if (!(await this.removeFromEngine(workspaceId))) throw inUse(workspaceId);
      this.unmark(workspaceId);
    } catch (error) {
      if (!isAishError(error, 'engine_unavailable')) {
        this.unmark(workspaceId);
        throw error;
      }
    }
    await this.forget(workspaceId);
  }

  /**
   * Continues removals that an unavailable engine or the end of this service interrupted, and forgets workspaces whose
   * volume someone else has removed.
   */
  async sweep(): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    for (const workspaceId of readdirSync(this.folder)) {
      if (this.volumes.isUsed(workspaceId) || !(await this.removeFromEngine(workspaceId))) continue;
      this.unmark(workspaceId);
      await this.forget(workspaceId);
    }
    // The records are read first, so that workspaces that are created in between are not affected.
    const known = this.belongings.store.ids();
    const existing = await this.volumes.existing();
    for (const workspaceId of known) if (!existing.has(workspaceId)) this.belongings.store.forget(workspaceId);
  }

  /** @returns false if a container uses the volume */
  private async removeFromEngine(workspaceId: string): Promise<boolean> {
    if (!(await this.volumes.remove(workspaceId))) return false;
    await this.belongings.snapshots.removeAll(workspaceId);
    return true;
  }

  private async forget(workspaceId: string): Promise<void> {
    this.belongings.store.forget(workspaceId);
    await this.belongings.gate.remove(workspaceId);
    await this.belongings.bridge.remove(workspaceId);
    await this.belongings.outputs.remove(workspaceId);
  }

  private mark(workspaceId: string): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.folder, workspaceId), '', { mode: 0o600 });
  }

  private unmark(workspaceId: string): void {
    rmSync(join(this.folder, workspaceId), { force: true });
  }
}

function inUse(workspaceId: string): AishError {
  return new AishError('locked', `A command is using workspace ${workspaceId}. Cancel it, or wait until it ends`, {
    retryAfterS: 2,
  });
}
