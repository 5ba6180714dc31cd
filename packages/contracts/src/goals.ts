import * as z from 'zod';
import { Action } from './actions.js';
import { Decision } from './decisions.js';
import { Effects } from './effects.js';
import { HostEvidence } from './evidence.js';
import { Grant } from './grants.js';
import { HostFolderNames } from './host-folders.js';
import { HostNames } from './hosts.js';
import { COMMAND_MAX_CHARS, DEFAULT_STEP_BUDGET, GOAL_TEXT_MAX_CHARS, STEP_BUDGET_MAX } from './limits.js';
import { RunbookCall, UsedRunbook } from './runbooks.js';
import { DEFAULT_SPACE, SpaceName } from './space-name.js';
import { Trust } from './trust.js';

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

/** The preset of a goal if neither the goal nor its space names one. */
export const DEFAULT_PRESET = 'fast';

export const PresetName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/);
export type PresetName = z.infer<typeof PresetName>;

/** The order in which free workers take goals. */
export const Priority = z.enum(['high', 'normal', 'low']);
export type Priority = z.infer<typeof Priority>;

/** The verdict on a HALT that nobody answers. It is never `proceed`. */
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

/** When a failed goal is tried again, as a new goal with its own workspace. */
export const Retry = z
  .strictObject({
    /** Number of attempts after the first. */
    times: z.int().min(1).max(5),
    /** Delay before the second attempt in milliseconds. It doubles before each further attempt. */
    afterMs: z
      .int()
      .min(10_000)
      .max(24 * 3_600_000)
      .default(60_000),
  })
  .meta({ id: 'Retry' });
export type Retry = z.infer<typeof Retry>;

/**
 * The goal that starts when another one has failed and will not be tried again. It has the same access. Follow-up goals
 * cannot have follow-ups.
 */
export const OnFailed = z.strictObject({ text: goalText, runbook: RunbookCall.optional() }).meta({ id: 'OnFailed' });

export const CreateGoal = z
  .strictObject({
    text: goalText,
    /** The space of the goal. The goal starts with the access of the space. */
    space: SpaceName.optional(),
    /** Maximum number of steps. Default: that of the space, or 16. */
    stepBudget: z.int().min(1).max(STEP_BUDGET_MAX).optional(),
    /** Name of the model preset. Default: that of the space, or `fast`. */
    preset: PresetName.optional(),
    priority: Priority.default('normal'),
    /** The command that proves the goal. It must exit with 0 before the goal counts as done. */
    verify: checkCommand.optional(),
    /** Whether the model first proposes a command that proves the goal. A person then accepts, edits or rejects it. */
    proposeCheck: z.boolean().default(false),
    /** Whether the goal only looks until a person has accepted, edited or refused the plan that its model proposes. */
    planFirst: z.boolean().default(false),
    /** Maximum tokens that the model may read uncached or write. After that no further step begins. */
    tokenBudget: z.int().min(1).max(TOKEN_BUDGET_MAX).optional(),
    /** Maximum working time in milliseconds. Time spent waiting for a person does not count. */
    timeBudgetMs: z
      .int()
      .min(1_000)
      .max(30 * 24 * 3_600_000)
      .optional(),
    haltExpiry: HaltExpiry.optional(),
    /** Sent with each request to the model. An endpoint that supports seeds then repeats the same answer. */
    seed: z.int().min(0).max(SEED_MAX).optional(),
    /**
     * The permission of commands to run without a question; default `ask`. Only a token that may give verdicts can
     * choose more.
     */
    trust: Trust.optional(),
    /** Host folders that its commands see, by their names in the sandbox's configuration. */
    hostFolders: HostFolderNames,
    /** Hosts that its commands may reach with `ssh NAME`. */
    hosts: HostNames,
    /** Whether a command starts where the last one ended: same folder and exported variables. */
    carryOver: z.boolean().default(true),
    /** Whether the goal starts paused, so that you can put files into its workspace and then resume it. */
    paused: z.boolean().default(false),
    /** The chat that the goal belongs to. The goal gets the chat as background and reports its end there. */
    chat: z.uuid().optional(),
    /** The runbook that it follows. */
    runbook: RunbookCall.optional(),
    /**
     * When the goal is tried again after it failed. It is never tried again if a destructive action was interrupted.
     */
    retry: Retry.optional(),
    /** The goal that starts if this one has failed and will not be tried again. */
    onFailed: OnFailed.optional(),
  })
  .meta({ id: 'CreateGoal' });
export type CreateGoal = z.infer<typeof CreateGoal>;
export type CreateGoalInput = z.input<typeof CreateGoal>;

export const PauseGoal = z.object({
  /** Whether the running command is killed. If `false`, it runs to its end. */
  stop: z.enum(['true', 'false']).default('false'),
});
export type PauseGoal = z.infer<typeof PauseGoal>;

/** More steps for a goal that ended without being done. */
export const ContinueGoal = z
  .strictObject({
    steps: z.int().min(1).max(STEP_BUDGET_MAX).default(DEFAULT_STEP_BUDGET),
    /** A message for the model. */
    message: z.string().trim().min(1).max(GOAL_TEXT_MAX_CHARS).optional(),
  })
  .meta({ id: 'ContinueGoal' });
export type ContinueGoal = z.infer<typeof ContinueGoal>;

/** Changes a goal while it runs, or before it is continued. */
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
 * The reason why a goal waits. `turn`: the schedule's previous goal must end first. `retry`: an unexpected error
 * occurred. `tool`: an MCP server is working on a task.
 */
export const WaitingFor = z.enum(['model', 'sandbox', 'turn', 'retry', 'tool']);
export type WaitingFor = z.infer<typeof WaitingFor>;

/** A goal. People use `number`, programs use `id`. Paths accept both. */
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
    /** Why the goal is in this state: the reason of a HALT, of its end, or of the wait, in words. */
    reason: z.string().nullable(),
    waitingFor: WaitingFor.nullable(),
    wakeAt: z.iso.datetime().nullable(),
    stepBudget: z.int(),
    stepsTaken: z.int(),
    priority: Priority,
    /** The command that proves the goal; null if it has none. */
    verify: z.string().nullable(),
    /** Whether the goal ended with a passed check. A goal that is done without a check is unverified. */
    verified: z.boolean(),
    /** How often the goal's check has failed since the goal started or was continued. */
    checksFailed: z.int(),
    tokenBudget: z.int().nullable(),
    tokensUsed: z.int(),
    timeBudgetMs: z.number().nullable(),
    /** Time spent on the model, commands and tools so far, in milliseconds. */
    activeMs: z.number(),
    haltExpiry: HaltExpiry.nullable(),
    seed: z.int().nullable().default(null),
    trust: Trust.default('ask'),
    /** The schedule that created it. */
    scheduleId: z.uuid().nullable(),
    /** The model's summary when it ended the goal. */
    summary: z.string().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
    /** Whether lists omit this goal. */
    archived: z.boolean().default(false),
    /** The runbooks that the goal follows or has read. */
    runbooks: z.array(UsedRunbook).default([]),
  })
  .meta({ id: 'Goal' });
export type Goal = z.infer<typeof Goal>;

/** The model endpoint's report about one answer; null if it reported nothing. */
export const Usage = z
  .object({
    promptTokens: z.int().nullable(),
    cachedTokens: z.int().nullable(),
    completionTokens: z.int().nullable(),
    promptMs: z.number().nullable(),
    completionMs: z.number().nullable(),
    /** Energy in joules, if the server reports it. Most servers do not. */
    energyJ: z.number().optional(),
  })
  .meta({ id: 'Usage' });
export type Usage = z.infer<typeof Usage>;

export const Step = z
  .object({
    n: z.int(),
    /** The model's answer; null until it answers. */
    text: z.string().nullable(),
    model: z.string().nullable(),
    usage: Usage.nullable(),
    /** Things that aish noticed during the request: a smaller window, a repaired call. */
    notes: z.array(z.string()),
    startedAt: z.iso.datetime(),
    answeredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Step' });
export type Step = z.infer<typeof Step>;

/** A message of a person to the goal while it works, or a notice of aish to its model. */
export const GoalMessage = z
  .object({
    /** Null: aish. */
    by: z.string().nullable(),
    text: z.string(),
    at: z.iso.datetime(),
    /** When the model read a person's message; null: not yet. */
    readAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'GoalMessage' });
export type GoalMessage = z.infer<typeof GoalMessage>;

export const GoalDetail = Goal.extend({
  steps: z.array(Step),
  actions: z.array(Action),
  decisions: z.array(Decision),
  grants: z.array(Grant),
  /**
   * All changes that the goal's commands made in its workspace; null if unknown. Changes that were undone later are
   * included.
   */
  effects: Effects.nullable().default(null),
  /**
   * The evidence that aish read on hosts before commands of the goal ended something there, oldest first, without the
   * texts.
   */
  evidence: z.array(HostEvidence).default([]),
  /** The messages and notices that its model got, oldest first. */
  messages: z.array(GoalMessage).default([]),
}).meta({ id: 'GoalDetail' });
export type GoalDetail = z.infer<typeof GoalDetail>;

export const ExportGoal = z.object({ format: z.enum(['json', 'md']).default('json') });
export type ExportGoal = z.infer<typeof ExportGoal>;

/** With `false`, lists omit archived entries. With `true`, they show only those. */
export const Archived = z.enum(['true', 'false']).default('false');

export const ListGoals = z.object({
  state: GoalState.optional(),
  archived: Archived,
  /** Returns only goals before this number, for the next page. */
  before: z.coerce.number().int().min(1).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListGoals = z.infer<typeof ListGoals>;

export const GoalList = z.object({ items: z.array(Goal) }).meta({ id: 'GoalList' });
export type GoalList = z.infer<typeof GoalList>;

/** A UUID, or the number that people use. */
export const Reference = z.union([z.uuid(), z.string().regex(/^[1-9][0-9]{0,8}$/)]);
/** A reference with or without the letter of its kind: `g4`, `g-4`, `4`. The result is the number alone. */
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
