import type { Logger } from '@aish/http';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { Calm } from './calm.js';

/** The containers of ended runs that are being removed while nobody waits for it. */
export class Removals {
  private readonly byWorkspace = new Map<string, Set<Promise<void>>>();

  constructor(
    private readonly engine: DockerEngine,
    private readonly calm: Calm,
    private readonly logger: Logger,
  ) {}

  /** Removes the container of a run. What cannot be removed now is removed by the next sweep: its outcome is on disk. */
  begin(workspaceId: string, runId: string): Promise<void> {
    const pending = this.byWorkspace.get(workspaceId) ?? new Set();
    this.byWorkspace.set(workspaceId, pending);
    const removal = this.remove(runId).finally(() => {
      pending.delete(removal);
      if (pending.size === 0) this.byWorkspace.delete(workspaceId);
    });
    pending.add(removal);
    return removal;
  }

  /** Resolves when no container of a workspace, or of any, is still being removed. */
  async settled(workspaceId?: string): Promise<void> {
    const sets = workspaceId === undefined ? [...this.byWorkspace.values()] : [this.byWorkspace.get(workspaceId) ?? []];
    await Promise.all(sets.flatMap((set) => [...set]));
  }

  private async remove(runId: string): Promise<void> {
    await this.calm.come();
    try {
      await this.engine.remove(runId);
    } catch (error) {
      this.logger.warn({ err: error, runId }, 'could not remove the container of an ended run; the next sweep will');
    }
  }
}
