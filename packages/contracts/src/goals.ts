import { z } from 'zod';
import { Decision } from './decisions.js';
import { Classification } from './safety.js';

export const GOAL_TEXT_MAX_CHARS = 20_000;
export const DEFAULT_STEP_BUDGET = 16;

export const GoalState = z.enum([
  'queued',
  'running',
  'halted',
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

export const PresetName = z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/);
export type PresetName = z.infer<typeof PresetName>;

export const CreateGoal = z
  .strictObject({
    text: z.string().trim().min(1).max(GOAL_TEXT_MAX_CHARS),
    stepBudget: z.int().min(1).max(256).default(DEFAULT_STEP_BUDGET),
    preset: PresetName.default('fast'),
  })
  .meta({ id: 'CreateGoal' });
export type CreateGoal = z.infer<typeof CreateGoal>;

export const WaitingFor = z.enum(['model', 'sandbox']);
export type WaitingFor = z.infer<typeof WaitingFor>;

/** A goal. `number` is what people say; `id` is what machines say; either names it in a path. */
export const Goal = z
  .object({
    id: z.uuid(),
    number: z.int(),
    sessionId: z.uuid(),
    text: z.string(),
    preset: z.string(),
    state: GoalState,
    /** Why it is in this state: the reason of a HALT or of an end, or what it waits for, in words. */
    reason: z.string().nullable(),
    waitingFor: WaitingFor.nullable(),
    wakeAt: z.iso.datetime().nullable(),
    stepBudget: z.int(),
    stepsTaken: z.int(),
    /** What the model said when it ended the goal. */
    summary: z.string().nullable(),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Goal' });
export type Goal = z.infer<typeof Goal>;

export const ActionState = z.enum(['pending', 'halted', 'approved', 'started', 'finished', 'skipped', 'lost']);
export type ActionState = z.infer<typeof ActionState>;

/** How a command ended. `exitCode` is null when it was killed before it could give one. */
export const RunOutcome = z
  .object({
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    outOfMemory: z.boolean(),
    timedOut: z.boolean(),
    cancelled: z.boolean(),
    durationMs: z.number(),
    /** What it printed, stdout and stderr as they came, cut to a bounded head and tail. */
    output: z.string(),
    /** Bytes that the cut left out of `output`. */
    omittedBytes: z.int(),
  })
  .meta({ id: 'RunOutcome' });
export type RunOutcome = z.infer<typeof RunOutcome>;

export const Action = z
  .object({
    id: z.uuid(),
    stepNumber: z.int(),
    /** Position within its step, from 1. */
    n: z.int(),
    kind: z.enum(['command']),
    command: z.string(),
    state: ActionState,
    classification: Classification.nullable(),
    outcome: RunOutcome.nullable(),
    startedAt: z.iso.datetime().nullable(),
    endedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Action' });
export type Action = z.infer<typeof Action>;

/** What the model endpoint said about one answer; null where it said nothing. */
export const Usage = z
  .object({
    promptTokens: z.int().nullable(),
    cachedTokens: z.int().nullable(),
    completionTokens: z.int().nullable(),
    promptMs: z.number().nullable(),
    completionMs: z.number().nullable(),
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
    startedAt: z.iso.datetime(),
    answeredAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Step' });
export type Step = z.infer<typeof Step>;

export const GoalDetail = Goal.extend({
  steps: z.array(Step),
  actions: z.array(Action),
  decisions: z.array(Decision),
}).meta({ id: 'GoalDetail' });
export type GoalDetail = z.infer<typeof GoalDetail>;

export const ListGoals = z.object({
  state: GoalState.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ListGoals = z.infer<typeof ListGoals>;

export const GoalList = z.object({ items: z.array(Goal) }).meta({ id: 'GoalList' });
export type GoalList = z.infer<typeof GoalList>;

/** A UUID, or the number that people use. */
export const Reference = z.union([z.uuid(), z.string().regex(/^[1-9][0-9]{0,8}$/)]);
export type Reference = z.infer<typeof Reference>;
