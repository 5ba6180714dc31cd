import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomUUID } from 'node:crypto';
import { fireSchedule } from '@aish/contracts/jobs';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { CreateSchedule, Schedule } from '@aish/contracts/schedules';
import type { Database } from '@aish/database/client';
import {
  deleteSchedule,
  findSchedule,
  insertSchedule,
  listSchedules,
  type ScheduleRecord,
} from '@aish/database/schedules.repository';
import { inTransaction } from '@aish/database/transaction';
import { nextTime, type QueueStore } from '@aish/queue';
import type { Person } from '../spaces/space-access.js';
import { NewGoals } from '../goals/new-goals.js';

@Injectable()
export class SchedulesService {
  constructor(
    @Part('db') private readonly db: Database,
    @Part('queue') private readonly queue: QueueStore,
    private readonly goals: NewGoals,
  ) {}

  async list(): Promise<Schedule[]> {
    return (await listSchedules(this.db.statements)).map(shown);
  }

  /**
   * Gives a goal again and again. The database is the truth: a queue that has lost it gets it back from the workers.
   * @throws AishError `invalid_body` for times or a goal that there cannot be; `queue_unreachable`.
   */
  async create(by: Person, input: CreateSchedule): Promise<Schedule> {
    nextTime(input, new Date());
    const { goal } = await this.goals.check(by, input.goal);
    const id = randomUUID();
    await inTransaction(this.db, async (tx) => {
      await insertSchedule(tx, { ...input, goal, id, createdBy: by.name });
      // Within the transaction: a schedule that the queue refuses is none.
      await this.queue.schedule(fireSchedule, id, input, { scheduleId: id });
    });
    return shown(await this.find(id));
  }

  /** Ends a schedule; the goals that it gave stay. @throws AishError `not_found`. */
  async remove(reference: string): Promise<Schedule> {
    const schedule = await this.find(reference);
    await deleteSchedule(this.db.statements, schedule.id);
    try {
      await this.queue.unschedule(fireSchedule, schedule.id);
    } catch (error) {
      // It is gone from the database: a worker that is told to fire it takes it out of the queue.
      if (!isAishError(error, 'queue_unreachable')) throw error;
    }
    return { ...shown(schedule), nextAt: null };
  }

  private async find(reference: string): Promise<ScheduleRecord> {
    const schedule = await findSchedule(this.db.statements, reference);
    if (schedule === null) throw new AishError('not_found', `There is no schedule ${reference}`);
    return schedule;
  }
}

function shown(schedule: ScheduleRecord): Schedule {
  return {
    ...schedule,
    nextAt: nextTime(schedule, new Date()).toISOString(),
    createdAt: schedule.createdAt.toISOString(),
  };
}
