import type { OpenRunbook } from '@aish/contracts/runbooks';
import type { Database } from '@aish/database/client';
import { countSkipped, findSchedule, hasOpenGoal, lockSchedule } from '@aish/database/schedules.repository';
import { inTransaction } from '@aish/database/transaction';
import { createGoal } from '@aish/sessions';
import { hostFolderOffers, type Sandbox } from '@aish/sandbox-client';

/** Manages the goals of schedules in the database. */
export class ScheduledGoals {
  constructor(
    private readonly db: Database,
    private readonly sandbox: Pick<Sandbox, 'describe'>,
    /** The default number of steps, if neither the goal nor its space sets one. */
    private readonly maxSteps: number,
    private readonly openRunbook?: OpenRunbook,
  ) {}

  /**
   * Creates the goal of a schedule for one moment. @param key identifies the moment @returns `gone` if the schedule no
   * longer exists; null if the goal exists already, or is skipped because the previous one is running
   */
  async give(scheduleId: string, key: string): Promise<Awaited<ReturnType<typeof createGoal>> | 'gone'> {
    const folders = (await hostFolderOffers(this.sandbox)) ?? [];
    return inTransaction(this.db, async (tx) => {
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
  }
}
