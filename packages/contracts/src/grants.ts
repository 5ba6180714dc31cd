import * as z from 'zod';
import { GrantScope } from './decisions.js';

/**
 * What a person allowed for the rest of a goal or chat: this exact command, every action that this rule stops, or
 * harmless commands with the shown variables of earlier commands.
 */
export const Grant = z
  .object({
    id: z.uuid(),
    /** Null in a chat. */
    goalId: z.uuid().nullable(),
    scope: GrantScope,
    /** The exact action, of scope `command`; the names of the variables, of scope `variables`. */
    action: z.string().nullable(),
    /** Of scope `rule`. */
    ruleId: z.string().nullable(),
    /** That of the decision it was given with: it covers nothing else. Null for one of an earlier version, which covers nothing. */
    binding: z.string().nullable(),
    /** Whether what it covers keeps the variables of its surroundings. */
    carried: z.boolean(),
    uses: z.int(),
    createdBy: z.string(),
    createdAt: z.iso.datetime(),
    revokedBy: z.string().nullable(),
    revokedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Grant' });
export type Grant = z.infer<typeof Grant>;

export const GrantList = z.object({ items: z.array(Grant) }).meta({ id: 'GrantList' });
export type GrantList = z.infer<typeof GrantList>;
