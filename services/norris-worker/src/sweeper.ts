import type { Logger } from '@aish/http';

/** Chores that are repeated, by description. */
export type Chores = Readonly<Record<string, () => Promise<void>>>;

/** Runs its chores one after another, repeatedly. A failed chore is logged, and the others still run. */
export class Sweeper {
  private timer: NodeJS.Timeout | null = null;
  private sweeping: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly chores: Chores,
    private readonly logger: Logger,
    private readonly everyMs = 2_000,
  ) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.sweeping = this.sweep().finally(() => {
        if (!this.stopped) this.start();
      });
    }, this.everyMs);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.sweeping;
  }

  private async sweep(): Promise<void> {
    for (const [what, act] of Object.entries(this.chores)) {
      if (this.stopped) return;
      try {
        await act();
      } catch (err) {
        this.logger.warn({ err }, `could not ${what}; retrying soon`);
      }
    }
  }
}
