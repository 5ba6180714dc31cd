import { randomUUID } from 'node:crypto';
import type { CreateGoal, Goal, Notice } from '@aish/contracts';
import { proposeCheckTurn } from '@aish/conversation';
import { appendEvents, appendTurns, hasScheduledGoal, insertGoal, setCarryOver, type Tx } from '@aish/database';

export interface GoalToCreate {
  readonly goal: CreateGoal;
  readonly createdBy: string;
  /** The schedule that gives it, and what names this one of its goals. */
  /** Told to the model after the goal. */
  readonly notices?: readonly string[];
  readonly schedule?: { readonly id: string; readonly key: string };
}

/** Writes session, goal, first turn and first event. Null: the schedule has given this goal already. */
export async function createGoal(
  tx: Tx,
  { goal: input, createdBy, schedule, notices = [] }: GoalToCreate,
): Promise<{ readonly goal: Goal; readonly notice: Notice } | null> {
  if (schedule !== undefined && (await hasScheduledGoal(tx, schedule.key))) return null;
  const goal = await insertGoal(tx, {
    ...input,
    id: randomUUID(),
    sessionId: randomUUID(),
    createdBy,
    ...(schedule === undefined ? {} : { schedule }),
  });
  const { id: goalId, sessionId, number, text, preset, stepBudget } = goal;
  if (!input.carryOver) await setCarryOver(tx, sessionId, false);
  await appendTurns(tx, sessionId, [
    { role: 'user', content: text },
    ...notices.map((content) => ({ role: 'notice' as const, content })),
    ...(input.proposeCheck ? [{ role: 'notice' as const, content: proposeCheckTurn }] : []),
  ]);
  const seq = await appendEvents(tx, sessionId, [{ type: 'goal.created', goalId, number, text, preset, stepBudget }]);
  return { goal, notice: { type: 'events', sessionId, seq, goalId, types: ['goal.created'] } };
}
