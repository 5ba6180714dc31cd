import type { SandboxConfig } from '@aish/contracts';
import type { Logger } from '@aish/http';
import type { DockerEngine } from '../engine/docker.engine.js';
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
    for (const container of containers) {
      if (this.live.get(container.runId) !== undefined) continue;
      const record = this.store.find(container.runId);
      if (record?.state !== 'ended' && record?.state !== 'lost' && container.isStarted) {
        this.live.adopt(container);
        continue;
      }
      // Without a record, whoever asked for it was told that nothing began. With one, nobody can tell whether the
      // engine was about to start it when the service went.
      if (record?.state === 'starting') await this.lose(container.runId);
      await this.engine.remove(container.runId);
    }
    const withContainer = new Set(containers.map(({ runId }) => runId));
    for (const runId of await this.store.unfinished()) {
      if (withContainer.has(runId) || this.live.get(runId) !== undefined) continue;
      // Looked at again, because it may have ended while this waited for others.
      if (this.store.find(runId)?.state !== 'starting') continue;
      await this.lose(runId);
    }
    await this.store.prune(this.config.OUTCOME_RETENTION_HOURS * 3_600_000);
  }

  private async lose(runId: string): Promise<void> {
    await this.store.write(runId, { state: 'lost' });
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
