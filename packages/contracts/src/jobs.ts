import * as z from 'zod';

/** Run one goal until it ends or needs a person. */
export const advanceGoal = { name: 'advance', queue: 'norris', payload: z.object({ goalId: z.uuid() }) } as const;
export type AdvanceGoal = z.infer<(typeof advanceGoal)['payload']>;

/** Cut what was said and written into pieces for recall, and find out what they and items mean. */
export const embedMemory = { name: 'embed', queue: 'embeddings', payload: z.object({}) } as const;

/** Give the goal of a schedule; it is due. */
export const fireSchedule = {
  name: 'fire',
  queue: 'schedules',
  payload: z.object({ scheduleId: z.uuid() }),
} as const;
export type FireSchedule = z.infer<(typeof fireSchedule)['payload']>;
