import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { DockerEngine } from '../engine/docker.engine.js';
import type { RunRecovery } from './run.recovery.js';

const SWEEP_EVERY_MS = 60_000;
const RECOVER_EVERY_MS = 5_000;

/** Recovers runs after a crash, and checks every minute. */
export class RunSweeper implements BeforeApplicationShutdown {
  private hasRecovered = false;
  private recovering: Promise<boolean> | null = null;
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  constructor(
    private readonly engine: DockerEngine,
    private readonly recovery: RunRecovery,
    private readonly logger: Logger,
  ) {}

  /**
   * Returns whether the state of all runs from before the start is known. If it is not, tries to recover these runs
   * from the engine. Until then, nobody can say what became of them.
   */
  recovered(): Promise<boolean> {
    if (this.hasRecovered) return Promise.resolve(true);
    this.recovering ??= this.recover().finally(() => (this.recovering = null));
    return this.recovering;
  }

  /** Makes sure that all runs are recovered. @throws AishError `engine_unavailable` */
  async needRecovered(): Promise<void> {
    if (!(await this.recovered())) await this.engine.info();
  }

  /** Recovers now, and sweeps regularly until the service stops. */
  start(): void {
    void this.tick();
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
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

  private async sweep(): Promise<void> {
    for (const runId of await this.recovery.sweep()) {
      this.logger.warn({ runId }, 'run lost: it was begun, and no container of it has started');
    }
  }
}
