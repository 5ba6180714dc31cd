import type { OpenRunbook } from '@aish/contracts/runbooks';
import type { Database } from '@aish/database/client';
import { countSkipped, findSchedule, hasOpenGoal, lockSchedule } from '@aish/database/schedules.repository';
import { inTransaction } from '@aish/database/transaction';
import { createGoal } from '@aish/sessions';
import { hostFolderOffers, type Sandbox } from '@aish/sandbox-client';

/** The goals that schedules give, in the database. */
export class ScheduledGoals {
  constructor(
    private readonly db: Database,
    private readonly sandbox: Pick<Sandbox, 'describe'>,
    /** Steps, where neither the goal nor its space says how many. */
    private readonly maxSteps: number,
    private readonly openRunbook?: OpenRunbook,
  ) {}

  /**
   * Writes down the goal of a schedule for one moment.
   * @param key names the moment.
   * @returns `gone`: there is no such schedule; null: it was given already, or is left out while the one before goes on.
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
