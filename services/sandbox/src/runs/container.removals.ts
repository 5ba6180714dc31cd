import type { Logger } from '@aish/http';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { RunContainers } from '../engine/run.containers.js';
import type { StartupThrottle } from '../scheduling/startup.throttle.js';
import { PendingWork } from '../scheduling/workspace.work.js';

const STOP_WAIT_MS = 3_000;

/** Removes the containers of runs that have ended, in the background. */
export class ContainerRemovals implements OnApplicationShutdown {
  private readonly pending = new PendingWork();

  constructor(
    private readonly containers: RunContainers,
    private readonly throttle: StartupThrottle,
    private readonly logger: Logger,
  ) {}

  /**
   * Removes the container of a run. If that fails, the next sweep removes it, because the outcome of the run is on
   * disk.
   */
  begin(workspaceId: string, runId: string): Promise<void> {
    return this.pending.add(workspaceId, this.remove(runId));
  }

  /** Resolves when no container of the given workspace, or of any workspace, is being removed. */
  settled(workspaceId?: string): Promise<void> {
    return this.pending.settled(workspaceId);
  }

  /** Waits briefly for the removals. The next start finishes those that take longer. */
  async onApplicationShutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.settled(), new Promise((resolve) => (timer = setTimeout(resolve, STOP_WAIT_MS)))]);
    clearTimeout(timer);
  }

  private async remove(runId: string): Promise<void> {
    await this.throttle.come();
    try {
      await this.containers.remove(runId);
    } catch (error) {
      this.logger.warn({ err: error, runId }, 'could not remove the container of an ended run; the next sweep will');
    }
  }
}
