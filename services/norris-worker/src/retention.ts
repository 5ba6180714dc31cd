import type { Database } from '@aish/database/client';
import { forgetStories } from '@aish/database/stories.repository';
import type { Logger } from '@aish/http';

const EVERY_MS = 3_600_000;
/** The number of goals per transaction, which limits how long locks are held. */
const AT_ONCE = 50;

/**
 * Deletes the events of goals that ended this many days ago, at the start and then every hour. The record of a goal is
 * kept.
 */
export class Retention {
  private timer: NodeJS.Timeout | null = null;
  private working: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(
    private readonly db: Database,
    private readonly logger: Logger,
    /** The value 0 keeps everything. */
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
