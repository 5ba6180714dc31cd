import { Injectable } from '@nestjs/common';
import { Part } from '../part.js';
import { randomUUID } from 'node:crypto';
import { fireSchedule } from '@aish/contracts/jobs';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { CreateSchedule, Schedule } from '@aish/contracts/schedules';
import { appendAudit } from '@aish/database/audit.repository';
import type { Database } from '@aish/database/client';
import {
  deleteSchedule,
  findSchedule,
  insertSchedule,
  listSchedules,
  type ScheduleRecord,
} from '@aish/database/schedules.repository';
import { inTransaction } from '@aish/database/transaction';
import type { Tx } from '@aish/database/tx';
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
   * Creates a schedule, which starts a goal repeatedly. The database is the source of truth: workers restore a schedule
   * that the queue has lost.
   * @throws AishError `invalid_body` for an impossible time or goal; `queue_unreachable`
   */
  async create(by: Person, input: CreateSchedule): Promise<Schedule> {
    const schedule = await this.check(by, input);
    const id = await inTransaction(this.db, async (tx) => {
      const inserted = await this.insert(tx, by.name, schedule);
      // This happens in the transaction, so that a schedule that the queue refuses is not stored.
      await this.enqueue(inserted, schedule);
      return inserted;
    });
    return shown(await this.find(id));
  }

  /** @returns the schedule with the space of its goal @throws AishError `invalid_body` for an impossible time or goal */
  async check(by: Person, input: CreateSchedule, tx?: Tx): Promise<CreateSchedule> {
    nextTime(input, new Date());
    const { goal } = await this.goals.check(by, input.goal, tx);
    return { ...input, goal };
  }

  /** Writes a checked schedule that the queue does not have yet, within the caller's transaction. @returns its ID */
  async insert(tx: Tx, by: string, schedule: CreateSchedule): Promise<string> {
    const id = randomUUID();
    await insertSchedule(tx, { ...schedule, id, createdBy: by });
    const { cron, timezone, goal } = schedule;
    const facts = { id, cron, timezone, goal: goal.text, space: goal.space ?? null };
    await appendAudit(tx, { actor: by, action: 'schedule.added', subject: cron, facts });
    return id;
  }

  enqueue(id: string, input: CreateSchedule): Promise<void> {
    return this.queue.schedule(fireSchedule, id, input, { scheduleId: id });
  }

  /** Removes a schedule. Its goals stay. @throws AishError `not_found` */
  async remove(by: string, reference: string): Promise<Schedule> {
    const schedule = await this.find(reference);
    await inTransaction(this.db, (tx) => this.delete(tx, by, schedule));
    await this.unqueue(schedule.id);
    return { ...shown(schedule), nextAt: null };
  }

  /** Deletes the record of a schedule. `unqueue` then removes it from the queue. */
  async delete(
    tx: Tx,
    by: string,
    { id, cron, timezone, number, goal }: Pick<ScheduleRecord, 'id' | 'cron' | 'timezone' | 'number' | 'goal'>,
  ): Promise<void> {
    if (!(await deleteSchedule(tx, id))) return;
    const facts = { id, cron, timezone, goal: goal.text };
    await appendAudit(tx, { actor: by, action: 'schedule.removed', subject: `s${number}`, facts });
  }

  async unqueue(id: string): Promise<void> {
    try {
      await this.queue.unschedule(fireSchedule, id);
    } catch (error) {
      // The database no longer has the schedule. A worker that should start its goal removes the schedule from the
      // queue.
      if (!isAishError(error, 'queue_unreachable')) throw error;
    }
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
