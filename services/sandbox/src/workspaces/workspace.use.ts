/** Tracks who uses which workspace: commands that wait or run there, and work that commands must wait for. */
export class WorkspaceUse {
  private readonly runs = new Map<string, number>();
  private readonly held = new Map<string, Promise<void>>();

  /**
   * Registers a command that wants to run in a workspace. The returned function must be called once, when the command
   * has ended.
   */
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
   * Makes new commands wait until the returned function is called. Only one caller at a time may hold a workspace.
   * @returns null if a command is already running there, or if someone else holds the workspace
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
