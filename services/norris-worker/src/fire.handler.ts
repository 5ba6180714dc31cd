import { advanceGoal, fireSchedule, type FireSchedule } from '@aish/contracts/jobs';
import type { Database } from '@aish/database/client';
import { listSchedules } from '@aish/database/schedules.repository';
import type { Logger } from '@aish/http';
import type { EventBus, QueueStore } from '@aish/queue';
import type { ScheduledGoals } from './scheduled-goals.js';

/** Puts every schedule of the database into the queue, so that a new or emptied queue has them again. */
export async function restoreSchedules(db: Database, queue: QueueStore, logger: Logger): Promise<void> {
  for (const { id, cron, timezone } of await listSchedules(db.statements)) {
    try {
      await queue.schedule(fireSchedule, id, { cron, timezone }, { scheduleId: id });
    } catch (err) {
      logger.warn({ err, scheduleId: id }, 'could not put a schedule into the queue');
    }
  }
}

/**
 * Creates the goals of schedules, once per moment, whichever worker takes the job and however often the job is retried.
 */
export class FireHandler {
  constructor(
    private readonly goals: ScheduledGoals,
    private readonly queue: QueueStore,
    private readonly bus: EventBus,
  ) {}

  /** @param key identifies the moment */
  async handle({ scheduleId }: FireSchedule, key: string): Promise<void> {
    const created = await this.goals.give(scheduleId, key);
    if (created === 'gone') return this.queue.unschedule(fireSchedule, scheduleId);
    if (created === null) return;
    const { goal, notice } = created;
    await this.queue.add(advanceGoal, { goalId: goal.id }, { priority: goal.priority });
    await this.bus.publish(notice);
  }
}
