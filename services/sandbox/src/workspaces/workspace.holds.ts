/** Workspaces whose commands are to wait, because what lies there is being put back. */
export class WorkspaceHolds {
  private readonly held = new Map<string, Promise<void>>();

  /** Commands that come from now on wait until what is returned is called. One at a time for each workspace. */
  hold(workspaceId: string): () => void {
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
