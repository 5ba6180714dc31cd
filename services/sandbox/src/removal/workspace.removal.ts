import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { SshBridge } from '../hosts/ssh.bridge.js';
import type { NetworkGate } from '../network/network.gate.js';
import type { OutputStore } from '../outputs/output.store.js';
import type { SnapshotsService } from '../snapshots/snapshots.service.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { WorkspaceVolumes } from './workspace.volumes.js';

/** What belongs to workspaces besides their volumes. */
export interface Belongings {
  readonly snapshots: SnapshotsService;
  readonly store: WorkspaceStore;
  readonly gate: NetworkGate;
  readonly bridge: SshBridge;
  readonly outputs: OutputStore;
}

/** Removes workspaces with all that belongs to them: volume, snapshots, network policy, what is known of them. */
export class WorkspaceRemoval {
  constructor(
    private readonly volumes: WorkspaceVolumes,
    private readonly belongings: Belongings,
    /** An empty file for each that is being removed, by its name. */
    private readonly folder: string,
  ) {}

  /**
   * Removes a workspace; a missing one counts as removed. When the engine is unavailable, its part is removed later,
   * also after a restart, because the caller will not ask again.
   * @throws AishError `locked` while a run uses it
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
   * Goes on with removals that the absence of the engine, or the end of this service, cut short, and forgets workspaces
   * whose volume somebody else has removed.
   */
  async sweep(): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    for (const workspaceId of readdirSync(this.folder)) {
      if (this.volumes.isUsed(workspaceId) || !(await this.removeFromEngine(workspaceId))) continue;
      this.unmark(workspaceId);
      await this.forget(workspaceId);
    }
    // In this order, so that a workspace that is made in between is not among them.
    const known = this.belongings.store.ids();
    const existing = await this.volumes.existing();
    for (const workspaceId of known) if (!existing.has(workspaceId)) this.belongings.store.forget(workspaceId);
  }

  /** @returns false when a container uses it. */
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
  return new AishError('locked', `A run uses workspace ${workspaceId}; cancel it or wait for its end`, {
    retryAfterS: 2,
  });
}
