/** Who is in which workspace: commands that wait or run there, and work that commands are to wait for. */
export class WorkspaceUse {
  private readonly runs = new Map<string, number>();
  private readonly held = new Map<string, Promise<void>>();

  /** A command wants to run there. What is returned is called, once, when it is over. */
  enter(workspaceId: string): () => void {
    this.runs.set(workspaceId, (this.runs.get(workspaceId) ?? 0) + 1);
    return () => {
      const left = (this.runs.get(workspaceId) ?? 1) - 1;
      if (left > 0) this.runs.set(workspaceId, left);
      else this.runs.delete(workspaceId);
    };
  }

  isUsed(workspaceId: string): boolean {
    return this.runs.has(workspaceId);
  }

  /**
   * Commands that come from now on wait until what is returned is called. One at a time for each workspace.
   * @returns null when a command is in there already, or somebody else holds it.
   */
  hold(workspaceId: string): (() => void) | null {
    if (this.isUsed(workspaceId) || this.held.has(workspaceId)) return null;
    let free = (): void => undefined;
    this.held.set(workspaceId, new Promise((resolve) => (free = resolve)));
    return () => {
      this.held.delete(workspaceId);
      free();
    };
  }

  /** Resolves when commands of this workspace may begin. */
  async free(workspaceId: string): Promise<void> {
    await this.held.get(workspaceId);
  }
}
