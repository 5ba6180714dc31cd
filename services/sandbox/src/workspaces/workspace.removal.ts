import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AishError, isAishError } from '@aish/contracts';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { NetworkGate } from '../network/network.gate.js';
import type { LiveRuns } from '../runs/live-runs.js';
import type { Removals } from '../runs/removals.js';
import type { SnapshotsService } from '../snapshots/snapshots.service.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { WorkspaceStore } from './workspace.store.js';

const LEAVING_WAIT_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** Removes workspaces with all that belongs to them: volume, snapshots, network policy, what is known of them. */
export class WorkspaceRemoval {
  private readonly removing = new Map<string, Promise<boolean>>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly live: LiveRuns,
    private readonly pool: WarmPool,
    private readonly removals: Removals,
    private readonly store: WorkspaceStore,
    private readonly gate: NetworkGate,
    private readonly snapshots: SnapshotsService,
    /** An empty file for each that is being removed, by its name. */
    private readonly folder: string,
  ) {}

  /**
   * Removes a workspace; one that is not there is as good as removed. What is the engine's is removed later when the
   * engine is away now, also after a restart: whoever asked will not ask again.
   * @throws AishError `locked` while a run uses it
   */
  async remove(workspaceId: string): Promise<void> {
    if (this.live.uses(workspaceId)) throw inUse(workspaceId);
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
    this.store.forget(workspaceId);
    await this.gate.remove(workspaceId);
  }

  /** Goes on with removals that the absence of the engine, or the end of this service, cut short. */
  async sweep(): Promise<void> {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    for (const workspaceId of readdirSync(this.folder)) {
      if (this.live.uses(workspaceId) || !(await this.removeFromEngine(workspaceId))) continue;
      this.unmark(workspaceId);
      this.store.forget(workspaceId);
      await this.gate.remove(workspaceId);
    }
  }

  /** @returns false when a container uses it. Whoever comes while it is being removed, as the sweep does, joins in. */
  private removeFromEngine(workspaceId: string): Promise<boolean> {
    const removing =
      this.removing.get(workspaceId) ?? this.removeAlone(workspaceId).finally(() => this.removing.delete(workspaceId));
    this.removing.set(workspaceId, removing);
    return removing;
  }

  private async removeAlone(workspaceId: string): Promise<boolean> {
    const open = this.pool.shutFor(workspaceId);
    try {
      await this.live.prepared(workspaceId);
      await this.pool.drop(workspaceId);
      await this.removals.settled(workspaceId);
      if (!(await this.removeVolume(workspaceId))) return false;
    } finally {
      open();
    }
    await this.snapshots.removeAll(workspaceId);
    return true;
  }

  /** A container that nobody here uses may still be on its way out of the engine, which then says that it is in use. */
  private async removeVolume(workspaceId: string): Promise<boolean> {
    const lastLook = performance.now() + LEAVING_WAIT_MS;
    while (!this.live.uses(workspaceId)) {
      if (await this.engine.removeVolume(workspaceId)) return true;
      if (performance.now() > lastLook) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return false;
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
