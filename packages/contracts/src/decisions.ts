import { z } from 'zod';
import { Classification } from './safety.js';

export const Verdict = z.enum(['proceed', 'skip', 'abort']);
export type Verdict = z.infer<typeof Verdict>;

export const DecisionState = z.enum(['pending', 'decided', 'withdrawn']);
export type DecisionState = z.infer<typeof DecisionState>;

/** A question to a person that blocks one action. `withdrawn`: the goal was cancelled before anyone answered. */
export const Decision = z
  .object({
    id: z.uuid(),
    number: z.int(),
    sessionId: z.uuid(),
    goalId: z.uuid(),
    goalNumber: z.int(),
    goalText: z.string(),
    actionId: z.uuid(),
    state: DecisionState,
    reason: z.string(),
    classification: Classification.nullable(),
    /** The exact command that would run. */
    action: z.string(),
    stepNumber: z.int(),
    stepBudget: z.int(),
    /** The last lines of what the model wrote before it asked for the action. */
    context: z.string(),
    verdict: Verdict.nullable(),
    message: z.string().nullable(),
    decidedBy: z.string().nullable(),
    createdAt: z.iso.datetime(),
    decidedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Decision' });
export type Decision = z.infer<typeof Decision>;

export const GiveVerdict = z
  .strictObject({
    verdict: Verdict,
    /** Told to the model with `skip`. */
    message: z.string().trim().min(1).max(2000).optional(),
  })
  .meta({ id: 'GiveVerdict' });
export type GiveVerdict = z.infer<typeof GiveVerdict>;

export const ListDecisions = z.object({
  state: DecisionState.default('pending'),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListDecisions = z.infer<typeof ListDecisions>;

export const DecisionList = z.object({ items: z.array(Decision) }).meta({ id: 'DecisionList' });
export type DecisionList = z.infer<typeof DecisionList>;
