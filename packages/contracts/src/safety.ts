import { z } from 'zod';

/** The answer of the safety gate about one command or tool call. */
export const Classification = z
  .object({
    verdict: z.enum(['destructive', 'safe', 'unknown']),
    reason: z.string().nullable(),
    ruleId: z.string().nullable(),
    /** The guilty part of the command: [start, end) in UTF-16 code units. */
    span: z.tuple([z.int(), z.int()]).nullable(),
    by: z.enum(['rule', 'second-opinion']),
  })
  .meta({ id: 'Classification' });
export type Classification = z.infer<typeof Classification>;
