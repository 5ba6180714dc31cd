import * as z from 'zod';
import { Action } from './actions.js';
import { Decision } from './decisions.js';
import { Effects } from './effects.js';
import { HostEvidence } from './evidence.js';
import { Grant } from './grants.js';
import { HostFolderNames } from './host-folders.js';
import { HostNames } from './hosts.js';
import { COMMAND_MAX_CHARS, DEFAULT_STEP_BUDGET, STEP_BUDGET_MAX } from './limits.js';
import { RunbookCall, UsedRunbook } from './runbooks.js';
import { DEFAULT_SPACE, SpaceName } from './space-name.js';
import { Trust } from './trust.js';

export const GOAL_TEXT_MAX_CHARS = 20_000;
export const TOKEN_BUDGET_MAX = 1_000_000_000;
const SEED_MAX = 2_147_483_647;

export const GoalState = z.enum([
  'queued',
  'running',
  'halted',
  'paused',
  'waiting',
  'done',
  'blocked',
  'stalled',
  'aborted',
  'exhausted',
  'failed',
]);
export type GoalState = z.infer<typeof GoalState>;

const TERMINAL: ReadonlySet<GoalState> = new Set(['done', 'blocked', 'stalled', 'aborted', 'exhausted', 'failed']);

/** Whether a goal in this state has ended. */
export function isTerminal(state: GoalState): boolean {
  return TERMINAL.has(state);
}

/** The preset of a goal that names none, in a space that names none. */
export const DEFAULT_PRESET = 'fast';

export const PresetName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/);
export type PresetName = z.infer<typeof PresetName>;

/** Which goal a free worker takes first. */
export const Priority = z.enum(['high', 'normal', 'low']);
export type Priority = z.infer<typeof Priority>;

/** What a HALT that nobody answers becomes. Never proceed. */
export const HaltExpiry = z
  .strictObject({
    afterMs: z
      .int()
      .min(1_000)
      .max(90 * 24 * 3_600_000),
    verdict: z.enum(['skip', 'abort']),
  })
  .meta({ id: 'HaltExpiry' });
export type HaltExpiry = z.infer<typeof HaltExpiry>;

const goalText = z.string().trim().min(1).max(GOAL_TEXT_MAX_CHARS);
const checkCommand = z.string().trim().min(1).max(COMMAND_MAX_CHARS);

/** When a goal is given once more that did not reach its end, as a new goal with a workspace of its own. */
export const Retry = z
  .strictObject({
    /** Attempts after the first. */
    times: z.int().min(1).max(5),
    /** Before the second one, milliseconds; before each later one twice as long. */
    afterMs: z
      .int()
      .min(10_000)
      .max(24 * 3_600_000)
      .default(60_000),
  })
  .meta({ id: 'Retry' });
export type Retry = z.infer<typeof Retry>;

/** The goal that is given once another has failed for good. It has the same reach, and none follows it. */
export const OnFailed = z.strictObject({ text: goalText, runbook: RunbookCall.optional() }).meta({ id: 'OnFailed' });

export const CreateGoal = z
  .strictObject({
    text: goalText,
    /** The space that it works in, whose reach it begins with. */
    space: SpaceName.optional(),
    /** Without: that of its space, else 16. */
    stepBudget: z.int().min(1).max(STEP_BUDGET_MAX).optional(),
    /** Without: that of its space, else `fast`. */
    preset: PresetName.optional(),
    priority: Priority.default('normal'),
    /** The command that proves the goal: it must exit 0 before the goal is done. */
    verify: checkCommand.optional(),
    /** Has the model propose such a command first; a person accepts it, changes it or says no. */
    proposeCheck: z.boolean().default(false),
    /** Tokens that the model may read uncached or write. No step begins after they are used up. */
    tokenBudget: z.int().min(1).max(TOKEN_BUDGET_MAX).optional(),
    /** Time that it may be worked on, milliseconds; waiting for a person does not count. */
    timeBudgetMs: z
      .int()
      .min(1_000)
      .max(30 * 24 * 3_600_000)
      .optional(),
    haltExpiry: HaltExpiry.optional(),
    /** Sent with each request to the model, so that an endpoint that knows seeds draws the same words again. */
    seed: z.int().min(0).max(SEED_MAX).optional(),
    /** What runs without a question; without: `ask`. Only who may give verdicts can give more. */
    trust: Trust.optional(),
    /** Folders of the host that its commands get, by their names in the sandbox's configuration. */
    hostFolders: HostFolderNames,
    /** Hosts that its commands may use: `ssh NAME`. */
    hosts: HostNames,
    /** Whether a command begins where the last one ended: folder and exported variables. */
    carryOver: z.boolean().default(true),
    /** Whether it begins paused: put files into its workspace, then resume it. */
    paused: z.boolean().default(false),
    /** The chat that it is given in: what was said there is its background, and its end is told there. */
    chat: z.uuid().optional(),
    /** The runbook that it follows. */
    runbook: RunbookCall.optional(),
    /** Whether it is given again where it fails; never where something that destroys was left half done. */
    retry: Retry.optional(),
    /** What is given when it has failed, and is not tried again. */
    onFailed: OnFailed.optional(),
  })
  .meta({ id: 'CreateGoal' });
export type CreateGoal = z.infer<typeof CreateGoal>;
export type CreateGoalInput = z.input<typeof CreateGoal>;

/** How a goal is paused. */
export const PauseGoal = z.object({
  /** `true`: the command that runs is killed; otherwise it is left to its end. */
  stop: z.enum(['true', 'false']).default('false'),
});
export type PauseGoal = z.infer<typeof PauseGoal>;

/** More steps for a goal that has ended otherwise than done. */
export const ContinueGoal = z
  .strictObject({
    steps: z.int().min(1).max(STEP_BUDGET_MAX).default(DEFAULT_STEP_BUDGET),
    /** Told to the model. */
    message: z.string().trim().min(1).max(GOAL_TEXT_MAX_CHARS).optional(),
  })
  .meta({ id: 'ContinueGoal' });
export type ContinueGoal = z.infer<typeof ContinueGoal>;

/** Changes a goal while it goes on, or before it is continued. */
export const EditGoal = z
  .strictObject({
    text: goalText.optional(),
    verify: checkCommand.nullable().optional(),
    priority: Priority.optional(),
    trust: Trust.optional(),
  })
  .refine((change) => Object.keys(change).length > 0, 'Say what to change: text, verify, priority or trust')
  .meta({ id: 'EditGoal' });
export type EditGoal = z.infer<typeof EditGoal>;

/**
 * `turn`: the schedule's goal before it must end first. `retry`: something broke that nobody foresaw. `tool`: a call has
 * become a task of its server.
 */
export const WaitingFor = z.enum(['model', 'sandbox', 'turn', 'retry', 'tool']);
export type WaitingFor = z.infer<typeof WaitingFor>;

/** A goal. `number` is what people say; `id` is what machines say; either names it in a path. */
export const Goal = z
  .object({
    id: z.uuid(),
    number: z.int(),
    sessionId: z.uuid(),
    text: z.string(),
    space: z.string().default(DEFAULT_SPACE),
    preset: z.string(),
    hostFolders: z.array(z.string()).default([]),
    hosts: z.array(z.string()).default([]),
    state: GoalState,
    /** Why it is in this state: the reason of a HALT or of an end, or what it waits for, in words. */
    reason: z.string().nullable(),
    waitingFor: WaitingFor.nullable(),
    wakeAt: z.iso.datetime().nullable(),
    stepBudget: z.int(),
    stepsTaken: z.int(),
    priority: Priority,
    /** The command that proves it, if there is one. */
    verify: z.string().nullable(),
    /** Whether it ended with its check passed. A goal that is done without is unverified. */
    verified: z.boolean(),
    /** How often its check has failed since it was begun or continued. */
    checksFailed: z.int(),
    tokenBudget: z.int().nullable(),
    tokensUsed: z.int(),
    timeBudgetMs: z.number().nullable(),
    /** Time with model, commands and tools so far, milliseconds. */
    activeMs: z.number(),
    haltExpiry: HaltExpiry.nullable(),
    seed: z.int().nullable().default(null),
    trust: Trust.default('ask'),
    /** The schedule that made it. */
    scheduleId: z.uuid().nullable(),
    /** What the model said when it ended the goal. */
    summary: z.string().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    /** Whether lists leave it out. */
    archived: z.boolean().default(false),
    /** What it follows or has read. */
    runbooks: z.array(UsedRunbook).default([]),
  })
  .meta({ id: 'Goal' });
export type Goal = z.infer<typeof Goal>;

/** What the model endpoint said about one answer; null where it said nothing. */
export const Usage = z
  .object({
    promptTokens: z.int().nullable(),
    cachedTokens: z.int().nullable(),
    completionTokens: z.int().nullable(),
    promptMs: z.number().nullable(),
    completionMs: z.number().nullable(),
    /** Joules, where the server told: most do not. */
    energyJ: z.number().optional(),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;

export const Step = z
  .object({
    n: z.int(),
    /** What the model wrote. Null while it has not answered. */
    text: z.string().nullable(),
    model: z.string().nullable(),
    usage: Usage.nullable(),
    /** What was noticed while it was asked for: a window that shrank, a call that was mended. */
    notes: z.array(z.string()),
    startedAt: z.iso.datetime(),
    answeredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Step' });
export type Step = z.infer<typeof Step>;

export const GoalDetail = Goal.extend({
  steps: z.array(Step),
  actions: z.array(Action),
  decisions: z.array(Decision),
  grants: z.array(Grant),
  /** What its commands did to its workspace in all; null where nothing is known. What was undone later counts, too. */
  effects: Effects.nullable().default(null),
  /** What was read on hosts before its commands ended something there, without the texts; oldest first. */
  evidence: z.array(HostEvidence).default([]),
}).meta({ id: 'GoalDetail' });
export type GoalDetail = z.infer<typeof GoalDetail>;

export const ExportGoal = z.object({ format: z.enum(['json', 'md']).default('json') });
export type ExportGoal = z.infer<typeof ExportGoal>;

/** Lists leave out what is archived unless they are asked for just that. */
export const Archived = z.enum(['true', 'false']).default('false');

export const ListGoals = z.object({
  state: GoalState.optional(),
  archived: Archived,
  /** Only goals before this number: the next page. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListGoals = z.infer<typeof ListGoals>;

export const GoalList = z.object({ items: z.array(Goal) }).meta({ id: 'GoalList' });
export type GoalList = z.infer<typeof GoalList>;

/** A UUID, or the number that people use. */
export const Reference = z.union([z.uuid(), z.string().regex(/^[1-9][0-9]{0,8}$/)]);
/** The same, after the letter of its kind or not: `g4`, `g-4`, `4`. Read as the number alone. */
const numbered = (letters: string) =>
  z
    .string()
    .regex(new RegExp(`^(?:[${letters}]-?)?[1-9][0-9]{0,8}$`))
    .transform((name) => name.replace(/^[a-z]-?/i, ''));
const named = (letters: string) => z.union([z.uuid(), numbered(letters)]);
export const GoalReference = named('gG');
export const SessionReference = named('cCsS');
export const DecisionReference = named('dD');
export const ScheduleReference = named('sS');
export const EventReference = named('eE');
export const EventRuleReference = named('rR');
export const RunbookProposalReference = numbered('pP');
export type Reference = z.infer<typeof Reference>;
