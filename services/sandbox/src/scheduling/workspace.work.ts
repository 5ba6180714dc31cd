/** Work that is done one after the other where it has the same key, in the order it came. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>();

  /** `work` must not ask for a turn of the same key. */
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

/** Work on workspaces that goes on while nobody waits for it. */
export class PendingWork {
  private readonly byWorkspace = new Map<string, Set<Promise<unknown>>>();

  /** @returns `work` itself. */
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

  /** Resolves when what is under way for a workspace, or for any, is over, however it ended. */
  async settled(workspaceId?: string): Promise<void> {
    const sets = workspaceId === undefined ? [...this.byWorkspace.values()] : [this.byWorkspace.get(workspaceId) ?? []];
    await Promise.allSettled(sets.flatMap((set) => [...set]));
  }
}
