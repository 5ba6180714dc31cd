import type { ListedContainer, RunContainers } from '../engine/run.containers.js';
import type { StashedPreviews } from './stashed.previews.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { LiveRuns } from './live-runs.js';
import type { OutcomeStore } from './outcome.store.js';

/**
 * Brings what is on disk, what the engine has and what this service holds back together. Containers that run are taken
 * over, ended ones recorded and removed, and what never started is lost.
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
   * One pass.
   * @returns the runs that were begun, and of which no container has started.
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
      // Looked at again, because it may have ended while this waited for others.
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
      // The container that was to become its own still has its old name: it was given no command.
      if (record.waiting !== undefined && waiting.has(record.waiting)) await this.store.forget(runId);
      else {
        await this.lose(runId);
        lost.push(runId);
      }
    }
    // Only after those that ask for them.
    for (const { runId, name } of containers) {
      if (runId === null && !this.pool.owns(name)) await this.containers.removeWaiting(name);
    }
    return lost;
  }

  /**
   * A container that nobody here carries: it is taken over if it may still tell how its run ends, or removed.
   * @returns false when its run is lost.
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
      // The container has its name but no command: nothing began, and the client may run it again.
      await this.containers.remove(runId);
      await this.store.forget(runId);
      return true;
    }
    // Without a record, the client was told that nothing began. With one, nobody can tell whether the engine was about
    // to start it when the service went.
    const isLost = record?.state === 'starting';
    if (isLost) await this.lose(runId);
    await this.containers.remove(runId);
    return !isLost;
  }

  private async lose(runId: string): Promise<void> {
    await this.store.write(runId, { state: 'lost', connections: this.store.connectionsOf(runId) });
  }
}
