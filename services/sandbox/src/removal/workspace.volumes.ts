import type { DockerEngine } from '../engine/docker.engine.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { Layers } from '../layers/layers.js';
import type { WorkspaceUse } from '../workspaces/workspace.use.js';

const LEAVING_WAIT_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** Removes the volumes of workspaces, when all that may have them mounted is gone. */
export class WorkspaceVolumes {
  private readonly removing = new Map<string, Promise<boolean>>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly layers: Layers,
    private readonly use: WorkspaceUse,
    private readonly pool: WarmPool,
    /** Resolve when work that nobody waits for, with containers of this workspace, is over. */
    private readonly settled: readonly ((workspaceId: string) => Promise<void>)[],
  ) {}

  /** Whether a command waits or runs there. */
  isUsed(workspaceId: string): boolean {
    return this.use.isUsed(workspaceId);
  }

  /** The workspaces that have one. */
  existing(): Promise<ReadonlySet<string>> {
    return this.engine.workspaces();
  }

  /** @returns false when a container uses it. Parallel calls, for example of the sweep, wait for the same removal. */
  remove(workspaceId: string): Promise<boolean> {
    const underWay = this.removing.get(workspaceId);
    if (underWay !== undefined) return underWay;
    const removing = this.removeAlone(workspaceId).finally(() => this.removing.delete(workspaceId));
    this.removing.set(workspaceId, removing);
    return removing;
  }

  /**
   * Does something while no command uses a workspace and no container waits there; commands that come wait for it.
   * @returns undefined when a command uses it: nothing was done.
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

  /** A container that nobody here uses may still be on its way out of the engine, which then says that it is in use. */
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
