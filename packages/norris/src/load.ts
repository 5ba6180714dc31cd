import { ActionState, GoalState, type Turn } from '@aish/contracts';
import type { GoalLine } from '@aish/conversation';
import { listTurns, newestStep, type GoalRow, type Tx } from '@aish/database';
import { z } from 'zod';
import type { GoalMachine } from './machine.js';

const StoredGoalLine = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('complete'), summary: z.string().nullable() }),
  z.object({ kind: z.literal('blocked'), reason: z.string().nullable() }),
]) satisfies z.ZodType<GoalLine>;

/** What is needed to go on with a goal; the same rows give the same answer after any crash. */
export interface LoadedGoal {
  readonly row: GoalRow;
  readonly machine: GoalMachine;
  /** What the model wrote in the newest step. */
  readonly stepText: string;
}

export async function loadGoal(tx: Tx, row: GoalRow): Promise<LoadedGoal> {
  const newest = await newestStep(tx, row.id);
  return {
    row,
    stepText: newest?.step.text ?? '',
    machine: {
      state: GoalState.parse(row.state),
      stepBudget: row.step_budget,
      stepsTaken: row.steps_taken,
      nudged: row.nudged,
      step:
        newest === null
          ? null
          : {
              n: newest.step.n,
              answered: newest.step.answered_at !== null,
              goalLine: newest.step.goal_line === null ? null : StoredGoalLine.parse(newest.step.goal_line),
              actions: newest.actions.map(({ id, command, state }) => ({
                id,
                command,
                state: ActionState.parse(state),
              })),
            },
    },
  };
}

/** The turns that the model is shown, in order. */
export async function loadTurns(tx: Tx, row: GoalRow): Promise<readonly Turn[]> {
  return listTurns(tx, row.session_id);
}
