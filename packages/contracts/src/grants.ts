import * as z from 'zod';
import { GrantScope } from './decisions.js';

/**
 * A permission that a person granted for the rest of a goal or chat: for this exact command, for every action that this
 * rule stops, or for harmless commands with the shown variables of earlier commands.
 */
export const Grant = z
  .object({
    id: z.uuid(),
    /** The ID of the goal; null in a chat. */
    goalId: z.uuid().nullable(),
    scope: GrantScope,
    /** The exact action for scope `command`; the names of the variables for scope `variables`. */
    action: z.string().nullable(),
    /** The rule that a grant of scope `rule` covers. */
    ruleId: z.string().nullable(),
    /**
     * The `binding` of the decision with which the grant was given. The grant covers nothing else. Null for a grant
     * from an earlier version, which covers nothing.
     */
    binding: z.string().nullable(),
    /** Whether the actions that the grant covers keep the variables of their execution context. */
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
