import * as z from 'zod';
import { CreateGoal } from './goals.js';

/** The rule for a time at which a schedule's last goal is still open: the new goal is skipped or waits for it. */
export const Overlap = z.enum(['skip', 'queue']);
export type Overlap = z.infer<typeof Overlap>;

/**
 * When people are notified that a goal is done: always, or only if the result differs from the last one. Other ends are
 * always reported.
 */
export const ReportWhen = z.enum(['always', 'changed']);
export type ReportWhen = z.infer<typeof ReportWhen>;

const cron = z
  .string()
  .trim()
  .max(200)
  .regex(/^(?:\S+\s+){4,5}\S+$/, {
    error: ({ input }) =>
      `"${String(input)}" is not a valid schedule. It needs five fields: minute, hour, day of month, month, day of week. ` +
      'For example, "0 3 * * *" means every day at 3:00',
  });
const timezone = z.string().min(1).max(64).default('UTC');

/** A scheduled goal. `cron` has five fields, or six with seconds first. */
export const CreateSchedule = z
  .strictObject({
    cron,
    timezone,
    overlap: Overlap.default('skip'),
    when: ReportWhen.default('always'),
    goal: CreateGoal,
  })
  .refine(({ goal }) => goal.chat === undefined, {
    message: 'a scheduled goal cannot belong to a chat',
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
    /** Number of goals that were skipped because the previous one was still open. */
    skipped: z.int(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.infer<typeof Schedule>;

export const ScheduleList = z.object({ items: z.array(Schedule) }).meta({ id: 'ScheduleList' });
export type ScheduleList = z.infer<typeof ScheduleList>;
