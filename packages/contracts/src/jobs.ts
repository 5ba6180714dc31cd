import * as z from 'zod';

/** Runs one goal until it ends or needs a person. */
export const advanceGoal = { name: 'advance', queue: 'norris', payload: z.object({ goalId: z.uuid() }) } as const;
export type AdvanceGoal = z.infer<(typeof advanceGoal)['payload']>;

/** Splits new text into chunks for recall, and embeds the chunks and new items. */
export const embedMemory = { name: 'embed', queue: 'embeddings', payload: z.object({}) } as const;

/** Starts the goal of a schedule that is due. */
export const fireSchedule = {
  name: 'fire',
  queue: 'schedules',
  payload: z.object({ scheduleId: z.uuid() }),
} as const;
export type FireSchedule = z.infer<(typeof fireSchedule)['payload']>;
