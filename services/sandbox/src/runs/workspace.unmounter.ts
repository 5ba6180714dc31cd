import type { RunContainers } from '../engine/run.containers.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { ContainerRemovals } from './container.removals.js';
import type { OutcomeStore } from './outcome.store.js';

/** Makes sure that a workspace is mounted only by containers of running commands. */
export class WorkspaceUnmounter {
  constructor(
    private readonly pool: WarmPool,
    private readonly removals: ContainerRemovals,
    private readonly containers: RunContainers,
    private readonly outcomes: OutcomeStore,
  ) {}

  /** Resolves when no container of a run that has ended is left. */
  removed(workspaceId: string): Promise<void> {
    return this.removals.settled(workspaceId);
  }

  /** Also removes the container that waits for a command. Resolves when no container is left. */
  async vacated(workspaceId: string): Promise<void> {
    await Promise.all([this.pool.drop(workspaceId), this.removed(workspaceId)]);
  }

  /**
   * Removes containers that an unavailable engine kept. They have ended or are waiting, and nothing else removes them
   * soon.
   */
  async swept(workspaceId: string): Promise<void> {
    for (const { name, runId, ...container } of await this.containers.list()) {
      if (container.workspaceId !== workspaceId) continue;
      const isLeft = runId === null ? !this.pool.owns(name) : this.outcomes.find(runId)?.state === 'ended';
      if (isLeft) await this.containers.removeWaiting(name);
    }
  }

  /** Prevents waiting containers in a workspace until the returned function is called. */
  shutFor(workspaceId: string): () => void {
    return this.pool.shutFor(workspaceId);
  }
}
