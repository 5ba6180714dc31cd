import { advanceGoal, fireSchedule, type FireSchedule } from '@aish/contracts/jobs';
import type { OpenRunbook } from '@aish/contracts/runbooks';
import type { Database } from '@aish/database/client';
import {
  countSkipped,
  findSchedule,
  hasOpenGoal,
  listSchedules,
  lockSchedule,
} from '@aish/database/schedules.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Logger } from '@aish/http';
import { createGoal } from '@aish/norris';
import { hostFolderOffers, type Sandbox } from '@aish/sandbox-client';
import type { EventBus, QueueStore } from '@aish/queue';

/** Gives the goals of schedules, each moment's once, whichever worker takes it and however often it is tried. */
export class FireHandler {
  constructor(
    private readonly db: Database,
    private readonly queue: QueueStore,
    private readonly bus: EventBus,
    private readonly sandbox: Pick<Sandbox, 'describe'>,
    private readonly logger: Logger,
    private readonly maxSteps: number,
    private readonly openRunbook?: OpenRunbook,
  ) {}

  /** Puts every schedule of the database into the queue: one that was made new, or emptied, gets them back. */
  async restore(): Promise<void> {
    for (const { id, cron, timezone } of await listSchedules(this.db.statements)) {
      try {
        await this.queue.schedule(fireSchedule, id, { cron, timezone }, { scheduleId: id });
      } catch (err) {
        this.logger.warn({ err, scheduleId: id }, 'could not put a schedule into the queue');
      }
    }
  }

  /** @param key names the moment. */
  async handle({ scheduleId }: FireSchedule, key: string): Promise<void> {
    const folders = (await hostFolderOffers(this.sandbox)) ?? [];
    const created = await inTransaction(this.db, async (tx) => {
      await lockSchedule(tx, scheduleId);
      const schedule = await findSchedule(tx, scheduleId);
      if (schedule === null) return 'gone';
      if (schedule.overlap === 'skip' && (await hasOpenGoal(tx, scheduleId))) {
        await countSkipped(tx, scheduleId);
        return null;
      }
      const { goal, createdBy } = schedule;
      return createGoal(tx, {
        goal,
        createdBy,
        folders,
        maxSteps: this.maxSteps,
        openRunbook: this.openRunbook,
        schedule: { id: scheduleId, key: `${scheduleId} ${key}` },
      });
    });
    if (created === 'gone') return this.queue.unschedule(fireSchedule, scheduleId);
    if (created === null) return;
    const { goal, notice } = created;
    await this.queue.add(advanceGoal, { goalId: goal.id }, { priority: goal.priority });
    await this.bus.publish(notice);
  }
}
