/** Runs work with the same key one after another, in order of arrival. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** Runs `work` in its turn. `work` must not ask for a turn with the same key. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const over = mine.catch(() => undefined);
    this.last.set(key, over);
    try {
      return await mine;
    } finally {
      if (this.last.get(key) === over) this.last.delete(key);
    }
  }
}

/** Tracks background work on workspaces. */
export class PendingWork {
  private readonly byWorkspace = new Map<string, Set<Promise<unknown>>>();

  /** Adds work on a workspace. @returns `work` itself */
  add<T>(workspaceId: string, work: Promise<T>): Promise<T> {
    const pending = this.byWorkspace.get(workspaceId) ?? new Set();
    this.byWorkspace.set(workspaceId, pending);
    const over = () => {
      pending.delete(work);
      if (pending.size === 0) this.byWorkspace.delete(workspaceId);
    };
    pending.add(work);
    work.then(over, over);
    return work;
  }

  /** Resolves when the current work on the given workspace, or on all workspaces, has ended, even if it failed. */
  async settled(workspaceId?: string): Promise<void> {
    const sets = workspaceId === undefined ? [...this.byWorkspace.values()] : [this.byWorkspace.get(workspaceId) ?? []];
    await Promise.allSettled(sets.flatMap((set) => [...set]));
  }
}
