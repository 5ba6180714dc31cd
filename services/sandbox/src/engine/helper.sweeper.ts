import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { HelperEngine } from './helper.engine.js';

const SWEEP_EVERY_MS = 60_000;
const STOP_WAIT_MS = 3_000;

/**
 * Removes what crashed helpers left behind, at the start and every minute: first the helpers themselves, then their
 * volumes.
 */
export class HelperSweeper implements BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;
  private sweeping: Promise<void> = Promise.resolve();

  /** @param others other sweeps, which run after the containers that may use those objects are gone. */
  constructor(
    private readonly helpers: HelperEngine,
    private readonly others: readonly (() => Promise<unknown>)[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    if (!this.isStopped) this.sweeping = this.tick();
  }

  /** Waits briefly for running work to end, because nothing may write after the service has stopped. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.sweeping, new Promise((resolve) => (timer = setTimeout(resolve, STOP_WAIT_MS)))]);
    clearTimeout(timer);
  }

  private async tick(): Promise<void> {
    try {
      for (const sweep of [() => this.helpers.sweep(), ...this.others]) {
        if (this.isStopped) return;
        await sweep();
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'could not look for what helpers left; it is done again in a minute');
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => this.start(), SWEEP_EVERY_MS).unref();
  }
}
