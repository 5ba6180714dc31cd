import * as z from 'zod';
import { ApprovalState } from './approvals.js';
import { ANSWER_MAX_CHARS, COMMAND_MAX_CHARS, NOTE_MAX_CHARS } from './limits.js';
import { ExecutionContext } from './execution-context.js';
import { Difference } from './effects.js';
import { Classification } from './safety.js';

/**
 * `skip`: do not run the action, and from now on protect everything that it would have changed. `instead`: find another
 * way; nothing is protected. `edit`: replace the action with another one, which is checked again.
 */
export const Verdict = z.enum(['proceed', 'skip', 'instead', 'abort', 'edit']);
export type Verdict = z.infer<typeof Verdict>;

/** The author of a verdict that was given because nobody answered in time. */
export const NOBODY = 'expiry';

export const DecisionState = z.enum(['pending', 'decided', 'withdrawn']);
export type DecisionState = z.infer<typeof DecisionState>;

/**
 * A permission that a `proceed` also grants for the rest of the goal or chat: for the same command, for every action
 * that the same rule stops, or for carried variables.
 */
export const GrantScope = z.enum(['command', 'rule', 'variables']);
export type GrantScope = z.infer<typeof GrantScope>;

/**
 * `halt`: an action of a goal. `check`: a goal's model proposes the command that proves the goal. `plan`: a goal's model
 * proposes a plan, and nothing changes before it is accepted. `question`: a goal's model asks a person. `need`: a model asks for more access. `tool`, `command`: confirmations in a chat. `elicitation`:
 * a question of an MCP server.
 */
export const DecisionKind = z.enum(['halt', 'check', 'plan', 'question', 'need', 'tool', 'command', 'elicitation']);
export type DecisionKind = z.infer<typeof DecisionKind>;

/** The form for a model's question: one text. */
export const QUESTION_REQUEST = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'answer', minLength: 1, maxLength: ANSWER_MAX_CHARS } },
  required: ['answer'],
} as const;

/** A question to a person that one action waits for. `withdrawn`: the action ended before anyone answered. */
export const Decision = z
  .object({
    id: z.uuid(),
    number: z.int(),
    sessionId: z.uuid(),
    kind: DecisionKind,
    /** The goal's ID. The ID, the number and the text are null outside goals. */
    goalId: z.uuid().nullable(),
    goalNumber: z.int().nullable(),
    goalText: z.string().nullable(),
    /**
     * The action that waits. For an elicitation, it is the call that asks. Null if a model proposes a check or a
     * plan, asks a question or asks for access.
     */
    actionId: z.uuid().nullable(),
    state: DecisionState,
    reason: z.string(),
    classification: Classification.nullable(),
    /** The execution context of a command. If the context differs when the command starts, aish asks again. */
    executionContext: ExecutionContext.nullable(),
    /** The held changes of a command that has run. `proceed` applies them, any other verdict rolls them back. */
    difference: Difference.nullable(),
    /**
     * A digest that limits grants from this decision: of the folder, variables and mounts, or of the server's
     * description of the tool.
     */
    binding: z.string().nullable(),
    /**
     * The exact command, a tool's label and arguments, the question of a server or a model, or the access that the
     * model needs.
     */
    action: z.string(),
    /** A JSON schema of the values that a verdict must include, for an elicitation or a question. */
    request: z.record(z.string(), z.unknown()).nullable(),
    stepNumber: z.int().nullable(),
    /** The goal's maximum number of steps; null outside goals. */
    stepBudget: z.int().nullable(),
    /** The last lines that the model wrote before it asked for the action. */
    context: z.string(),
    verdict: Verdict.nullable(),
    message: z.string().nullable(),
    /** The answer to `request`, without hidden fields such as passwords. */
    answer: z.record(z.string(), z.unknown()).nullable(),
    /** The action that runs instead, for the verdict `edit`. */
    edited: z.string().nullable(),
    granted: GrantScope.nullable(),
    /**
     * How many times the model has tried something that was refused, including this time. Absent for everything else.
     */
    attempt: z.int().optional(),
    /** Whether the action was approved with the variables of its execution context. */
    carried: z.boolean(),
    /** If nobody has answered by then, `expiryVerdict` is given. */
    expiresAt: z.iso.datetime().nullable(),
    expiryVerdict: z.enum(['skip', 'abort']).nullable(),
    decidedBy: z.string().nullable(),
    createdAt: z.iso.datetime(),
    decidedAt: z.iso.datetime().nullable(),
    /** Identifies everything that a person sees of this decision. The api adds it. */
    version: z.string().optional(),
    /** The space of the goal or chat that asks. The api adds it. */
    space: z.string().optional(),
    /**
     * The state of the approval: who has approved, who still has to, and when the action may run. Absent if there is
     * nothing to run, for example for a question.
     */
    approval: ApprovalState.optional(),
  })
  .meta({ id: 'Decision' });
export type Decision = z.infer<typeof Decision>;

export const GiveVerdict = z
  .strictObject({
    verdict: Verdict,
    /** A note for the model, allowed with any verdict. */
    message: z.string().trim().min(1).max(NOTE_MAX_CHARS).optional(),
    /** The values for a decision that has a `request`. Allowed only with `proceed`. */
    answer: z.record(z.string(), z.unknown()).optional(),
    /** The command to run instead, or the new arguments of the tool. Allowed only with `edit`. */
    command: z.string().trim().min(1).max(COMMAND_MAX_CHARS).optional(),
    /** The permission to grant. Allowed only with `proceed`. */
    grant: GrantScope.optional(),
    /**
     * Whether the command keeps the variables of its execution context. If false, it runs with the image's own PATH.
     * Allowed only with `proceed`.
     */
    carried: z.boolean().optional(),
    /**
     * Whether the action runs when the space's change window opens, not now. Until then anybody may give another
     * verdict. Allowed only with `proceed`.
     */
    inWindow: z.boolean().optional(),
    /**
     * The `id` of the preview that was shown. aish keeps the run of that preview. If absent, the command runs again.
     * Allowed only with `proceed`.
     */
    preview: z.uuid().toLowerCase().optional(),
    /** The version of the decision that was shown. The verdict is refused if the decision has changed. */
    version: z.string().max(64).optional(),
  })
  .refine(({ verdict, command }) => (verdict === 'edit') === (command !== undefined), {
    message: 'edit needs a command; other verdicts take none',
    path: ['command'],
  })
  .refine(({ verdict, answer }) => answer === undefined || verdict === 'proceed', {
    message: 'only proceed takes an answer',
    path: ['answer'],
  })
  .refine(({ verdict, grant }) => grant === undefined || verdict === 'proceed', {
    message: 'only proceed takes a grant',
    path: ['grant'],
  })
  .refine(({ grant, carried }) => grant !== 'variables' || carried === true, {
    message: 'a grant of variables also needs carried',
    path: ['grant'],
  })
  .refine(({ verdict, carried }) => carried !== true || verdict === 'proceed', {
    message: 'only proceed can use the variables of earlier commands',
    path: ['carried'],
  })
  .refine(({ verdict, preview }) => preview === undefined || verdict === 'proceed', {
    message: 'only proceed can keep the result of a preview',
    path: ['preview'],
  })
  .refine(({ verdict, inWindow }) => inWindow !== true || verdict === 'proceed', {
    message: 'only proceed can wait for the change window',
    path: ['inWindow'],
  })
  .refine(({ grant, inWindow }) => inWindow !== true || grant === undefined, {
    message: 'not together with inWindow: the grant would also apply outside the change window',
    path: ['grant'],
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
