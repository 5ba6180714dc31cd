import type { Database } from '@aish/database/client';
import { forgetStories } from '@aish/database/stories.repository';
import type { Logger } from '@aish/http';

const EVERY_MS = 3_600_000;
/** Goals of one transaction: locks are held as long as it takes. */
const AT_ONCE = 50;

/** Leaves of goals that ended so many days ago their record alone: at the start, and then every hour. */
export class Retention {
  private timer: NodeJS.Timeout | null = null;
  private working: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
    /** 0: everything is kept. */
    private readonly days: number,
  ) {}

  start(): void {
    if (this.days === 0 || this.stopped) return;
    this.working = this.forget().catch((err: unknown) =>
      this.logger.warn({ err }, 'could not delete the events of old goals; it is tried again in an hour'),
    );
    this.timer = setTimeout(() => this.start(), EVERY_MS);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.working;
  }

  private async forget(): Promise<void> {
    let goals = 0;
    for (let more = AT_ONCE; more === AT_ONCE && !this.stopped; goals += more) {
      more = await forgetStories(this.db.statements, this.days, AT_ONCE);
    }
    if (goals > 0) this.logger.info({ goals, days: this.days }, 'the events of old goals are deleted');
  }
}
