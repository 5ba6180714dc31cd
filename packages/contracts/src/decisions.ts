import * as z from 'zod';
import { ApprovalState } from './approvals.js';
import { COMMAND_MAX_CHARS } from './limits.js';
import { CommandSurroundings } from './surroundings.js';
import { Difference } from './effects.js';
import { Classification } from './safety.js';

/**
 * `skip`: do not run it, and from now on protect what it would have changed. `instead`: not this way; nothing is
 * protected. `edit`: replace it with another action, which is judged again.
 */
export const Verdict = z.enum(['proceed', 'skip', 'instead', 'abort', 'edit']);
export type Verdict = z.infer<typeof Verdict>;

/** Who gave the verdict, where nobody answered in time. */
export const NOBODY = 'expiry';

export const DecisionState = z.enum(['pending', 'decided', 'withdrawn']);
export type DecisionState = z.infer<typeof DecisionState>;

/**
 * What a proceed allows from then on in its goal or chat: the same command, or every action that the same rule stops.
 */
export const GrantScope = z.enum(['command', 'rule', 'variables']);
export type GrantScope = z.infer<typeof GrantScope>;

/** `halt`: of a goal. `check`: a goal's model proposes the command that proves the goal. `question`: a goal's model asks a person. `need`: a model asks to reach more. `tool`, `command`: confirmations of a chat. `elicitation`: a question of an MCP server. */
export const DecisionKind = z.enum(['halt', 'check', 'question', 'need', 'tool', 'command', 'elicitation']);
export type DecisionKind = z.infer<typeof DecisionKind>;

/** What a model's question asks for: one text. */
export const QUESTION_REQUEST = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'answer', minLength: 1, maxLength: 4_000 } },
  required: ['answer'],
} as const;

/** A question to a person that blocks one action. `withdrawn`: what it blocked ended before anyone answered. */
export const Decision = z
  .object({
    id: z.uuid(),
    number: z.int(),
    sessionId: z.uuid(),
    kind: DecisionKind,
    /** Null outside goals, as are its number and text. */
    goalId: z.uuid().nullable(),
    goalNumber: z.int().nullable(),
    goalText: z.string().nullable(),
    /** What waits for the answer: of an elicitation the call that asks. Null for a check that a model proposes, for its question, and for what it needs. */
    actionId: z.uuid().nullable(),
    state: DecisionState,
    reason: z.string(),
    classification: Classification.nullable(),
    /** Of a command: what it would begin in. In any other it is asked about again. */
    surroundings: CommandSurroundings.nullable(),
    /** Of a command that has run: what it did, which counts by `proceed` and is rolled back by any other verdict. */
    difference: Difference.nullable(),
    /** What a grant of it is good for alone: a digest of its folder, variables and mounts, or of what a server says of its tool. */
    binding: z.string().nullable(),
    /** The exact command that would run, a tool's label and arguments, the question of a server or a model, or what it needs. */
    action: z.string(),
    /** What is asked for beside a verdict: the schema of an elicitation, or of the answer to a question. */
    request: z.record(z.string(), z.unknown()).nullable(),
    stepNumber: z.int().nullable(),
    /** Null outside goals. */
    stepBudget: z.int().nullable(),
    /** The last lines of what the model wrote before it asked for the action. */
    context: z.string(),
    verdict: Verdict.nullable(),
    message: z.string().nullable(),
    /** What was given in answer to `request`; nothing that is typed unseen. */
    answer: z.record(z.string(), z.unknown()).nullable(),
    /** What runs instead, of verdict `edit`. */
    edited: z.string().nullable(),
    granted: GrantScope.nullable(),
    /** Which attempt it is at what was refused before; left out of everything else. */
    attempt: z.int().optional(),
    /** Whether it was let through with the variables of its surroundings. */
    carried: z.boolean(),
    /** When nobody has answered by then, `expiryVerdict` is given. */
    expiresAt: z.iso.datetime().nullable(),
    expiryVerdict: z.enum(['skip', 'abort']).nullable(),
    decidedBy: z.string().nullable(),
    createdAt: z.iso.datetime(),
    decidedAt: z.iso.datetime().nullable(),
    /** Names all that a person is shown of it. The api says it. */
    version: z.string().optional(),
    /** Where it was asked. The api says it. */
    space: z.string().optional(),
    /** Who has let it run so far, who has to, and when it may. Of what runs nothing, as a question, it is left out. */
    approval: ApprovalState.optional(),
  })
  .meta({ id: 'Decision' });
export type Decision = z.infer<typeof Decision>;

export const GiveVerdict = z
  .strictObject({
    verdict: Verdict,
    /** A note that the model reads, with any verdict. */
    message: z.string().trim().min(1).max(2000).optional(),
    /** With `proceed`, for a decision that has a `request`. */
    answer: z.record(z.string(), z.unknown()).optional(),
    /** With `edit`: the command to run instead, or the arguments of a tool. */
    command: z.string().trim().min(1).max(COMMAND_MAX_CHARS).optional(),
    /** With `proceed`. */
    grant: GrantScope.optional(),
    /** With `proceed`: the command keeps the variables of its surroundings. Without this it runs with the image's own PATH. */
    carried: z.boolean().optional(),
    /** With `proceed`: not now, but when the space's change window opens. Until then anybody may answer otherwise. */
    inWindow: z.boolean().optional(),
    /** With `proceed`: the `id` of the shown preview, whose run is kept. Without it the command runs again. */
    preview: z.uuid().toLowerCase().optional(),
    /** That of the decision as it was shown: refused if it is another one now. */
    version: z.string().max(64).optional(),
  })
  .refine(({ verdict, command }) => (verdict === 'edit') === (command !== undefined), {
    message: 'edit, and nothing else, needs the command to run instead',
    path: ['command'],
  })
  .refine(({ verdict, answer }) => answer === undefined || verdict === 'proceed', {
    message: 'only proceed has an answer',
    path: ['answer'],
  })
  .refine(({ verdict, grant }) => grant === undefined || verdict === 'proceed', {
    message: 'only proceed can be granted',
    path: ['grant'],
  })
  .refine(({ grant, carried }) => grant !== 'variables' || carried === true, {
    message: 'variables are granted by running with them: say carried, too',
    path: ['grant'],
  })
  .refine(({ verdict, carried }) => carried !== true || verdict === 'proceed', {
    message: 'only proceed runs anything with the variables of earlier commands',
    path: ['carried'],
  })
  .refine(({ verdict, preview }) => preview === undefined || verdict === 'proceed', {
    message: 'only proceed keeps the run of a preview',
    path: ['preview'],
  })
  .refine(({ verdict, inWindow }) => inWindow !== true || verdict === 'proceed', {
    message: 'only proceed waits for the change window',
    path: ['inWindow'],
  })
  .refine(({ grant, inWindow }) => inWindow !== true || grant === undefined, {
    message: 'a grant would run the next one outside the change window',
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
