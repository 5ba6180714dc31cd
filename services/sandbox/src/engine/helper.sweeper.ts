import type { Logger } from '@aish/http';
import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { HelperEngine } from './helper.engine.js';

const SWEEP_EVERY_MS = 60_000;

/** Removes, at the start and every minute, what helpers of a crash left: they themselves, then the volumes they used. */
export class HelperSweeper implements BeforeApplicationShutdown {
  private timer: NodeJS.Timeout | undefined;
  private isStopped = false;

  /** @param others what else is to be swept, after the containers that may use it. */
  constructor(
    private readonly helpers: HelperEngine,
    private readonly others: readonly (() => Promise<unknown>)[],
    private readonly logger: Logger,
  ) {}

  start(): void {
    if (!this.isStopped) void this.tick();
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
    clearTimeout(this.timer);
  }

  private async tick(): Promise<void> {
    try {
      await this.helpers.sweep();
      for (const sweep of this.others) await sweep();
    } catch (error) {
      this.logger.warn({ err: error }, 'could not look for what helpers left; it is done again in a minute');
    }
    if (this.isStopped) return;
    this.timer = setTimeout(() => void this.tick(), SWEEP_EVERY_MS).unref();
  }
}
