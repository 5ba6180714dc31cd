import { loadRecent, loadStep } from '@aish/actions';
import { GoalState } from '@aish/contracts/goals';
import type { Turn } from '@aish/contracts/sessions';
import type { GoalLine } from '@aish/prompt';
import type { GoalRow } from '@aish/database/generated/rows';
import { NeedLine } from '@aish/contracts/needs';
import { listTurns } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import type { Definition } from '@aish/tools';
import { z } from 'zod';
import type { GoalMachine } from '../machine/goal/state.js';

const StoredGoalLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('complete'), summary: z.string().nullable() }),
  z.object({ kind: z.literal('blocked'), reason: z.string().nullable() }),
  z.object({ kind: z.literal('verify'), command: z.string() }),
  z.object({ kind: z.literal('check'), command: z.string() }),
  z.object({ kind: z.literal('plan'), plan: z.string() }),
  z.object({ kind: z.literal('ask'), question: z.string() }),
  NeedLine,
]) satisfies z.ZodType<GoalLine>;

/** Everything that a runner needs to continue a goal. The same rows give the same result after any crash. */
export interface LoadedGoal {
  readonly row: GoalRow;
  readonly machine: GoalMachine;
  /** The text that the model wrote in the newest step. */
  readonly stepText: string;
}

export async function loadGoal(tx: Tx, row: GoalRow): Promise<LoadedGoal> {
  const step = await loadStep(tx, row.session_id);
  const recent = step === null ? [] : await loadRecent(tx, row.session_id);
  return {
    row,
    stepText: step?.text ?? '',
    machine: {
      state: GoalState.parse(row.state),
      stepBudget: row.step_budget,
      stepsTaken: row.steps_taken,
      tokenBudget: row.token_budget,
      tokensUsed: row.tokens_used,
      timeBudgetMs: row.time_budget_ms,
      activeMs: row.active_ms,
      nudged: row.nudged,
      ...(row.awaits_plan && { awaitsPlan: true as const }),
      verify: row.verify,
      verified: row.verified,
      checksFailed: row.checks_failed,
      malformed: row.malformed,
      toolDepth: row.tool_depth,
      failures: row.failures,
      recent,
      step:
        step === null
          ? null
          : {
              n: step.n,
              answered: step.answered,
              goalLine: StoredGoalLine.nullable().parse(step.goalLine),
              actions: step.actions,
            },
    },
  };
}

/** Returns the turns that the model sees, in order. */
export async function loadTurns(tx: Tx, row: GoalRow): Promise<readonly Turn[]> {
  return listTurns(tx, row.session_id);
}

const StoredTools = z.array(
  z.object({ name: z.string(), description: z.string(), parameters: z.record(z.string(), z.unknown()) }),
);

/** Returns the descriptions of tools that the requests of the goal have contained so far. */
export function offeredTools(row: GoalRow): readonly Definition[] {
  return StoredTools.parse(row.offered);
}
