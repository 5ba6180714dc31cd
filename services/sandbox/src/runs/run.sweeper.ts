import type { SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { DockerEngine, ListedContainer } from '../engine/docker.engine.js';
import type { WarmEngine } from '../engine/warm.engine.js';
import type { WarmPool } from '../warm/warm.pool.js';
import type { WorkspaceStore } from '../workspaces/workspace.store.js';
import type { LiveRuns } from './live-runs.js';
import type { OutcomeStore } from './outcome.store.js';

const SWEEP_EVERY_MS = 60_000;
const RECOVER_EVERY_MS = 5_000;

/**
 * Brings what is on disk, what the engine has and what this service holds back together: after a crash, and every
 * minute. Containers that run are taken over, ended ones recorded and removed, and what never started is lost.
 */
export class RunSweeper {
  private hasRecovered = false;
  private recovering: Promise<boolean> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly engine: DockerEngine,
    private readonly store: OutcomeStore,
    private readonly live: LiveRuns,
    private readonly containers: WarmEngine,
    private readonly pool: WarmPool,
    private readonly workspaces: WorkspaceStore,
    private readonly config: SandboxConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * Whether all runs of before the start are accounted for; sees to it if the engine answers. As long as it does not,
   * nobody can say what became of them.
   */
  recovered(): Promise<boolean> {
    if (this.hasRecovered) return Promise.resolve(true);
    this.recovering ??= this.recover().finally(() => (this.recovering = null));
    return this.recovering;
  }

  /** Recovers now, and sweeps from time to time until `stop`. */
  start(): void {
    void this.tick();
  }

  stop(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  /** One pass. @throws AishError `engine_unavailable` */
  async sweep(): Promise<void> {
    const containers = await this.engine.list();
    const withContainer = new Set<string>();
    for (const container of containers) {
      const { runId } = container;
      if (runId === null) continue;
      withContainer.add(runId);
      if (this.live.get(runId) !== undefined) continue;
      await this.settle({ ...container, runId });
    }
    const waiting = new Set(containers.map(({ name }) => name));
    for (const runId of await this.store.unfinished()) {
      if (withContainer.has(runId) || this.live.get(runId) !== undefined) continue;
      // Looked at again, because it may have ended while this waited for others.
      const record = this.store.find(runId);
      if (record?.state !== 'starting') continue;
      // The container that was to become its own still has its old name: it was given no command.
      if (record.waiting !== undefined && waiting.has(record.waiting)) await this.store.forget(runId);
      else await this.lose(runId);
    }
    // Only after those that ask for them.
    for (const { runId, name } of containers) {
      if (runId === null && !this.pool.owns(name)) await this.containers.discard(name);
    }
    // In this order, so that a workspace that is made meanwhile is not among them.
    const known = this.workspaces.ids();
    const existing = await this.engine.workspaces();
    for (const workspaceId of known) if (!existing.has(workspaceId)) this.workspaces.forget(workspaceId);
    await this.store.prune(this.config.OUTCOME_RETENTION_HOURS * 3_600_000);
  }

  /** A container that nobody here carries: it is taken over if it may still tell how its run ends, or removed. */
  private async settle(container: ListedContainer & { readonly runId: string }): Promise<void> {
    const { runId, isStarted, wasWarm } = container;
    const record = this.store.find(runId);
    if (record?.state !== 'ended' && record?.state !== 'lost' && isStarted) {
      const state = wasWarm ? await this.engine.inspect(runId) : null;
      if (state === null || (await this.containers.hasBegun(runId, state.token))) {
        this.live.adopt(container);
        return;
      }
      // The name was given and the command was not: nothing began, and whoever asks again may have it run.
      await this.engine.remove(runId);
      await this.store.forget(runId);
      return;
    }
    // Without a record, whoever asked for it was told that nothing began. With one, nobody can tell whether the
    // engine was about to start it when the service went.
    if (record?.state === 'starting') await this.lose(runId);
    await this.engine.remove(runId);
  }

  private async lose(runId: string): Promise<void> {
    await this.store.write(runId, { state: 'lost', connections: this.store.connectionsOf(runId) });
    this.logger.warn({ runId }, 'run lost: it was begun, and no container of it has started');
  }

  private async tick(): Promise<void> {
    try {
      if (this.hasRecovered) await this.sweep();
      else await this.recovered();
    } catch (error) {
      this.logger.warn({ err: error }, 'the sweep failed; it is done again in a minute');
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.tick(), this.hasRecovered ? SWEEP_EVERY_MS : RECOVER_EVERY_MS);
    this.timer.unref();
  }

  private async recover(): Promise<boolean> {
    try {
      await this.engine.info();
      await this.sweep();
      this.hasRecovered = true;
    } catch (error) {
      this.logger.warn({ err: error }, 'cannot look for runs of before the start');
    }
    return this.hasRecovered;
  }
}
