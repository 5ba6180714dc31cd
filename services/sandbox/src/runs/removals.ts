import type { Logger } from '@aish/http';
import type { DockerEngine } from '../engine/docker.engine.js';
import { PendingWork } from '../workspaces/pending-work.js';
import type { Calm } from './calm.js';

/** The containers of ended runs that are being removed while nobody waits for it. */
export class Removals {
  private readonly pending = new PendingWork();

  constructor(
    private readonly engine: DockerEngine,
    private readonly calm: Calm,
    private readonly logger: Logger,
  ) {}

  /** Removes the container of a run. What cannot be removed now is removed by the next sweep: its outcome is on disk. */
  begin(workspaceId: string, runId: string): Promise<void> {
    return this.pending.add(workspaceId, this.remove(runId));
  }

  /** Resolves when no container of a workspace, or of any, is still being removed. */
  settled(workspaceId?: string): Promise<void> {
    return this.pending.settled(workspaceId);
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
