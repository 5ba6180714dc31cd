import type { RunContainers } from '../engine/run.containers.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { ContainerRemovals } from './container.removals.js';
import type { OutcomeStore } from './outcome.store.js';

/** Sees to it that no container has a workspace mounted but those of runs that go on. */
export class WorkspaceUnmounter {
  constructor(
    private readonly pool: WarmPool,
    private readonly removals: ContainerRemovals,
    private readonly containers: RunContainers,
    private readonly outcomes: OutcomeStore,
  ) {}

  /** Resolves when no container of a run that has ended is there any more. */
  removed(workspaceId: string): Promise<void> {
    return this.removals.settled(workspaceId);
  }

  /** Removes the one that waits, too. */
  async vacated(workspaceId: string): Promise<void> {
    await Promise.all([this.pool.drop(workspaceId), this.removed(workspaceId)]);
  }

  /** Removes what an engine that was away has left there: it has ended or waits, and nobody here will remove it soon. */
  async swept(workspaceId: string): Promise<void> {
    for (const { name, runId, ...container } of await this.containers.list()) {
      if (container.workspaceId !== workspaceId) continue;
      const isLeft = runId === null ? !this.pool.owns(name) : this.outcomes.find(runId)?.state === 'ended';
      if (isLeft) await this.containers.removeWaiting(name);
    }
  }

  /** Lets none wait there, until what is returned is called. */
  shutFor(workspaceId: string): () => void {
    return this.pool.shutFor(workspaceId);
  }
}
