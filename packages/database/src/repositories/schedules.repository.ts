import { CreateGoal } from '@aish/contracts/goals';
import { Overlap, ReportWhen } from '@aish/contracts/schedules';
import type { ScheduleRow as Row, ActionRow, GoalRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** A schedule as it is stored. Its next time is computed. */
export interface ScheduleRecord {
  readonly id: string;
  readonly number: number;
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: Overlap;
  readonly when: ReportWhen;
  readonly goal: CreateGoal;
  readonly skipped: number;
  readonly lastGoalNumber: number | null;
  readonly createdBy: string;
  readonly createdAt: Date;
}

type ScheduleRow = Row & { readonly last_goal_number: number | null };

function toSchedule(row: ScheduleRow): ScheduleRecord {
  return {
    id: row.id,
    number: row.number,
    cron: row.cron,
    timezone: row.timezone,
    overlap: Overlap.parse(row.overlap),
    when: ReportWhen.parse(row.report_when),
    goal: CreateGoal.parse(row.goal),
    skipped: row.skipped,
    lastGoalNumber: row.last_goal_number,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

export async function insertSchedule(
  tx: Tx,
  input: Pick<ScheduleRecord, 'id' | 'cron' | 'timezone' | 'overlap' | 'goal' | 'createdBy'> &
    Partial<Pick<ScheduleRecord, 'when'>>,
): Promise<void> {
  await tx.$executeRaw`
    insert into schedules (id, cron, timezone, overlap, report_when, goal, created_by)
    values (${input.id}::uuid, ${input.cron}, ${input.timezone}, ${input.overlap}, ${input.when ?? 'always'}, ${storableJson(input.goal)}::jsonb,
            ${input.createdBy})`;
}

/** Returns the schedule with this UUID or number, or null. */
export async function findSchedule(tx: Tx, reference: string): Promise<ScheduleRecord | null> {
  const byId = reference.includes('-');
  const rows = await tx.$queryRaw<ScheduleRow[]>`
    select s.*, (select max(g.number) from goals g where g.schedule_id = s.id) as last_goal_number from schedules s
    where case when ${byId} then s.id = ${byId ? reference : null}::uuid
               else s.number = ${byId ? null : Number(reference)}::int end`;
  return rows[0] === undefined ? null : toSchedule(rows[0]);
}

/** Lists all schedules, oldest first. */
export async function listSchedules(tx: Tx): Promise<ScheduleRecord[]> {
  const rows = await tx.$queryRaw<ScheduleRow[]>`
    select s.*, (select max(g.number) from goals g where g.schedule_id = s.id) as last_goal_number
    from schedules s order by s.number`;
  return rows.map(toSchedule);
}

/**
 * Deletes a schedule. Its goals stay.
 *
 * @returns false if there was no such schedule.
 */
export async function deleteSchedule(tx: Tx, id: string): Promise<boolean> {
  return (await tx.$executeRaw`delete from schedules where id = ${id}::uuid`) === 1;
}

/** Locks a schedule until the transaction ends, so that its runs come one after another. */
export async function lockSchedule(tx: Tx, id: string): Promise<void> {
  await tx.$executeRaw`select id from schedules where id = ${id}::uuid for update`;
}

/** Whether a goal of this schedule has not ended. */
export async function hasOpenGoal(tx: Tx, scheduleId: string): Promise<boolean> {
  const rows = await tx.$queryRaw<{ found: boolean }[]>`
    select exists (select 1 from goals where schedule_id = ${scheduleId}::uuid
      and state in ('queued', 'running', 'halted', 'paused', 'waiting')) as found`;
  return rows[0]?.found ?? false;
}

/** The result of a goal that is done. */
export interface GoalReport {
  readonly summary: string | null;
  /** The newest check with its output; null if there was none. */
  readonly checked: { readonly command: string; readonly exitCode: number | null; readonly output: string } | null;
}

/** Returns a goal's final report. */
export async function findGoalReport(tx: Tx, goalId: string): Promise<GoalReport | null> {
  const rows = await tx.$queryRaw<GoalReportRow[]>`
    select g.summary, a.command, (a.outcome ->> 'exitCode')::int as exit_code, a.outcome ->> 'output' as output
    from goals g left join lateral (
      select * from actions where session_id = g.session_id and is_check and outcome is not null
      order by step_number desc, n desc limit 1) a on true
    where g.id = ${goalId}::uuid`;
  const [row] = rows;
  if (row === undefined) return null;
  const { summary, command, exit_code: exitCode, output } = row;
  return { summary, checked: command === null ? null : { command, exitCode, output: output ?? '' } };
}

type GoalReportRow = Pick<GoalRow, 'summary'> &
  Pick<ActionRow, 'command'> & { readonly exit_code: number | null; readonly output: string | null };

/**
 * Returns the previous goal of a schedule that reports only changes, if that goal was done. Null if there is none, or
 * if the schedule reports every goal.
 */
export async function goalToCompare(tx: Tx, goalId: string): Promise<string | null> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    select before.id from goals g join schedules s on s.id = g.schedule_id and s.report_when = 'changed'
      join goals before on before.schedule_id = s.id and before.number < g.number and before.state = 'done'
    where g.id = ${goalId}::uuid order by before.number desc limit 1`;
  return rows[0]?.id ?? null;
}

/** Counts a goal that was skipped because the previous one was still open. */
export async function countSkipped(tx: Tx, scheduleId: string): Promise<void> {
  await tx.$executeRaw`update schedules set skipped = skipped + 1 where id = ${scheduleId}::uuid`;
}
