import type { WarmPool } from '../warm/warm.pool.js';
import type { ContainerRemovals } from './container.removals.js';

/** Sees to it that no container has a workspace mounted but those of runs that go on. */
export class Vacating {
  constructor(
    private readonly pool: WarmPool,
    private readonly removals: ContainerRemovals,
  ) {}

  /** Resolves when no container of a run that has ended is there any more. */
  removed(workspaceId: string): Promise<void> {
    return this.removals.settled(workspaceId);
  }

  /** Removes the one that waits, too. */
  async vacated(workspaceId: string): Promise<void> {
    await Promise.all([this.pool.drop(workspaceId), this.removed(workspaceId)]);
  }

  /** Lets none wait there, until what is returned is called. */
  shutFor(workspaceId: string): () => void {
    return this.pool.shutFor(workspaceId);
  }
}
