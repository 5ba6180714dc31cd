import type { ListedContainer, RunContainers } from '../engine/run.containers.js';
import type { StashedPreviews } from './stashed.previews.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { LiveRuns } from './live-runs.js';
import type { OutcomeStore } from './outcome.store.js';

/**
 * Reconciles the disk, the engine and the memory of this service. It takes over running containers, records and removes
 * those that have ended, and marks runs that never started as lost.
 */
export class RunRecovery {
  constructor(
    private readonly containers: RunContainers,
    private readonly store: OutcomeStore,
    private readonly live: LiveRuns,
    private readonly pool: WarmPool,
    private readonly kept: StashedPreviews,
  ) {}

  /**
   * Sweeps once.
   * @returns the runs that have begun and have no container
   * @throws AishError `engine_unavailable`
   */
  async sweep(): Promise<readonly string[]> {
    const lost: string[] = [];
    const containers = await this.containers.list();
    const withContainer = new Set<string>();
    for (const container of containers) {
      const { runId } = container;
      if (runId === null) continue;
      withContainer.add(runId);
      if (this.live.get(runId) !== undefined) continue;
      if (!(await this.settle({ ...container, runId }))) lost.push(runId);
    }
    const waiting = new Set(containers.map(({ name }) => name));
    for (const runId of await this.store.unfinished()) {
      if (withContainer.has(runId) || this.live.get(runId) !== undefined) continue;
      // The record is read again, because the run may have ended during the wait.
      const record = this.store.find(runId);
      if (record?.state !== 'starting') continue;
      if (record.isPreview === true) {
        await this.store.forget(runId);
        continue;
      }
      if (record.adopts !== undefined) {
        await this.kept.resume(runId, record.adopts);
        continue;
      }
      // The waiting container still has its old name, so it has received no command.
      if (record.waiting !== undefined && waiting.has(record.waiting)) await this.store.forget(runId);
      else {
        await this.lose(runId);
        lost.push(runId);
      }
    }
    // Containers are removed last, because the loop above still needs those of its runs.
    for (const { runId, name } of containers) {
      if (runId === null && !this.pool.owns(name)) await this.containers.removeWaiting(name);
    }
    return lost;
  }

  /**
   * Handles a container that nobody follows: takes it over if it can still report the end of its run, or removes it.
   * @returns false if its run is lost.
   */
  private async settle(container: ListedContainer & { readonly runId: string }): Promise<boolean> {
    const { runId, workspaceId, isStarted, wasWarm } = container;
    const record = this.store.find(runId);
    if (record?.state === 'starting' && record.isPreview === true) {
      await this.containers.remove(runId);
      await this.store.forget(runId);
      return true;
    }
    if (record?.state !== 'ended' && record?.state !== 'lost' && isStarted) {
      const state = wasWarm ? await this.containers.inspect(runId) : null;
      if (state === null || (await this.containers.hasBegun(runId, state.token))) {
        this.live.adopt({ runId, workspaceId });
        return true;
      }
      // The container has the name of the run but no command. Nothing has begun, and the client may run the command
      // again.
      await this.containers.remove(runId);
      await this.store.forget(runId);
      return true;
    }
    // Without a record, the client was told that nothing began. With a record, the engine may have been about to start
    // the container when the service stopped.
    const isLost = record?.state === 'starting';
    if (isLost) await this.lose(runId);
    await this.containers.remove(runId);
    return !isLost;
  }

  private async lose(runId: string): Promise<void> {
    await this.store.write(runId, { state: 'lost', connections: this.store.connectionsOf(runId) });
  }
}
