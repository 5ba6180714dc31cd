import { z } from 'zod';

/** Drive one goal as far as it goes without a person. */
export const advanceGoal = { name: 'advance', queue: 'norris', payload: z.object({ goalId: z.uuid() }) } as const;
export type AdvanceGoal = z.infer<(typeof advanceGoal)['payload']>;

/** Find out what items of memory mean that nobody has found out for. */
export const embedMemory = { name: 'embed', queue: 'embeddings', payload: z.object({}) } as const;

/** Give the goal of a schedule; it is due. */
export const fireSchedule = {
  name: 'fire',
  queue: 'schedules',
  payload: z.object({ scheduleId: z.uuid() }),
} as const;
export type FireSchedule = z.infer<(typeof fireSchedule)['payload']>;
