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
