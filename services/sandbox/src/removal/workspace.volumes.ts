import type { DockerEngine } from '../engine/docker.engine.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { Layers } from '../layers/layers.js';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';

const LEAVING_WAIT_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** Removes the volumes of workspaces once nothing can have them mounted. */
export class WorkspaceVolumes {
  private readonly removing = new Map<string, Promise<boolean>>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly layers: Layers,
    private readonly use: WorkspaceUse,
    private readonly pool: WarmPool,
    /** Each function resolves when one kind of background work with containers of the workspace has ended. */
    private readonly settled: readonly ((workspaceId: string) => Promise<void>)[],
  ) {}

  /** Returns whether a command waits or runs in the workspace. */
  isUsed(workspaceId: string): boolean {
    return this.use.isUsed(workspaceId);
  }

  /** Returns the workspaces that have a volume. */
  existing(): Promise<ReadonlySet<string>> {
    return this.engine.workspaces();
  }

  /**
   * Removes the volume of a workspace. Parallel calls, for example from the sweep, wait for the same removal. @returns
   * false if a container uses the volume
   */
  remove(workspaceId: string): Promise<boolean> {
    const underWay = this.removing.get(workspaceId);
    if (underWay !== undefined) return underWay;
    const removing = this.removeAlone(workspaceId).finally(() => this.removing.delete(workspaceId));
    this.removing.set(workspaceId, removing);
    return removing;
  }

  /**
   * Works on a workspace while no command uses it and no container waits there. New commands wait.
   * @returns undefined if a command uses the workspace, in which case nothing was done
   */
  async alone<T>(workspaceId: string, work: () => Promise<T>): Promise<T | undefined> {
    const free = this.use.hold(workspaceId);
    if (free === null) return undefined;
    try {
      return await this.withoutContainers(workspaceId, work);
    } finally {
      free();
    }
  }

  private removeAlone(workspaceId: string): Promise<boolean> {
    return this.withoutContainers(workspaceId, () => this.removeUnused(workspaceId));
  }

  private async withoutContainers<T>(workspaceId: string, work: () => Promise<T>): Promise<T> {
    const open = this.pool.shutFor(workspaceId);
    try {
      await Promise.all(this.settled.map((settled) => settled(workspaceId)));
      await this.pool.drop(workspaceId);
      return await work();
    } finally {
      open();
    }
  }

  /**
   * Removes a volume, and retries for a while: an unused container may still be stopping, and the engine then says that
   * the volume is in use.
   */
  private async removeUnused(workspaceId: string): Promise<boolean> {
    const lastLook = performance.now() + LEAVING_WAIT_MS;
    while (!this.isUsed(workspaceId)) {
      if (await this.layers.remove(workspaceId)) return true;
      if (performance.now() > lastLook) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
    return false;
  }
}
