import { ActionState, GoalState, RunOutcome, actionText, type PendingInput, type Turn } from '@aish/contracts';
import type { GoalLine } from '@aish/conversation';
import {
  listTurns,
  newestStep,
  pendingOf,
  recentActions,
  toActionRequest,
  type ActionRow,
  type GoalRow,
  type Tx,
} from '@aish/database';
import { z } from 'zod';
import { RECENT_MAX } from './machine/repeats.js';
import type { GoalMachine } from './machine/state.js';
import type { OfferedTool } from './tools.port.js';

const StoredGoalLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('complete'), summary: z.string().nullable() }),
  z.object({ kind: z.literal('blocked'), reason: z.string().nullable() }),
  z.object({ kind: z.literal('verify'), command: z.string() }),
]) satisfies z.ZodType<GoalLine>;

/** What is needed to go on with a goal; the same rows give the same answer after any crash. */
export interface LoadedGoal {
  readonly row: GoalRow;
  readonly machine: GoalMachine;
  /** What the model wrote in the newest step. */
  readonly stepText: string;
}

export async function loadGoal(tx: Tx, row: GoalRow): Promise<LoadedGoal> {
  const newest = await newestStep(tx, row.session_id);
  const recent = newest === null ? [] : await recentActions(tx, row.session_id, RECENT_MAX);
  return {
    row,
    stepText: newest?.step.text ?? '',
    machine: {
      state: GoalState.parse(row.state),
      stepBudget: row.step_budget,
      stepsTaken: row.steps_taken,
      tokenBudget: row.token_budget,
      tokensUsed: row.tokens_used,
      timeBudgetMs: row.time_budget_ms,
      activeMs: row.active_ms,
      nudged: row.nudged,
      verify: row.verify,
      verified: row.verified,
      checksFailed: row.checks_failed,
      malformed: row.malformed,
      toolDepth: row.tool_depth,
      failures: row.failures,
      recent: recent.map(({ request, digest }) => ({ what: actionText(request), answer: digest })),
      step:
        newest === null
          ? null
          : {
              n: newest.step.n,
              answered: newest.step.answered_at !== null,
              goalLine: newest.step.goal_line === null ? null : StoredGoalLine.parse(newest.step.goal_line),
              actions: newest.actions.map((action) => ({
                ...toActionRequest(action),
                id: action.id,
                state: ActionState.parse(action.state),
                ...passedOf(action),
                ...waitingOf(action),
              })),
            },
    },
  };
}

/** Of a check that has run. */
function passedOf({ is_check: isCheck, outcome }: ActionRow): { readonly passed?: boolean } {
  if (!isCheck || outcome === null) return {};
  return { passed: RunOutcome.parse(outcome).exitCode === 0 };
}

/** Of a call whose server has asked something. */
function waitingOf(action: ActionRow): { readonly pending?: PendingInput } {
  const pending = pendingOf(action);
  return pending === null ? {} : { pending };
}

/** The turns that the model is shown, in order. */
export async function loadTurns(tx: Tx, row: GoalRow): Promise<readonly Turn[]> {
  return listTurns(tx, row.session_id);
}

const StoredTools = z.array(
  z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
);

/** The descriptions of tools that the goal's requests held so far. */
export function offeredOf(row: GoalRow): readonly OfferedTool[] {
  return StoredTools.parse(row.offered);
}
