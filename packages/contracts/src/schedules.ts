import * as z from 'zod';
import { CreateGoal } from './goals.js';

/** What happens when a schedule's last goal is not over: the new one is left out, or waits for it. */
export const Overlap = z.enum(['skip', 'queue']);
export type Overlap = z.infer<typeof Overlap>;

/** Which of its goals' ends people are told that are done: each, or only one that differs from the last. Any other end is always told. */
export const ReportWhen = z.enum(['always', 'changed']);
export type ReportWhen = z.infer<typeof ReportWhen>;

const cron = z
  .string()
  .trim()
  .max(200)
  .regex(/^(?:\S+\s+){4,5}\S+$/, {
    error: ({ input }) =>
      `"${String(input)}" is not a time. It needs five fields: minute, hour, day of month, month, day of week. ` +
      'For example, "0 3 * * *" is every day at 3:00',
  });
const timezone = z.string().min(1).max(64).default('UTC');

/** A goal given again and again. `cron` has five fields, or six with seconds first. */
export const CreateSchedule = z
  .strictObject({
    cron,
    timezone,
    overlap: Overlap.default('skip'),
    when: ReportWhen.default('always'),
    goal: CreateGoal,
  })
  .refine(({ goal }) => goal.chat === undefined, {
    message: 'a goal that is given again and again belongs to no chat',
    path: ['goal', 'chat'],
  })
  .meta({ id: 'CreateSchedule' });
export type CreateSchedule = z.infer<typeof CreateSchedule>;

export const Schedule = z
  .object({
    id: z.uuid(),
    number: z.int(),
    cron: z.string(),
    timezone: z.string(),
    overlap: Overlap,
    when: ReportWhen,
    goal: CreateGoal,
    /** When its next goal is due. */
    nextAt: z.iso.datetime().nullable(),
    lastGoalNumber: z.int().nullable(),
    /** Goals left out because the one before was not over. */
    skipped: z.int(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = z.object({ items: z.array(Schedule) }).meta({ id: 'ScheduleList' });
export type ScheduleList = z.infer<typeof ScheduleList>;
