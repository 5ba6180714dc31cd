import { randomUUID } from 'node:crypto';
import type { Notice } from '@aish/contracts/events';
import type { CreateGoal, Goal } from '@aish/contracts/goals';
import { proposeCheckTurn } from '@aish/conversation';
import { appendEvents } from '@aish/database/events.repository';
import { hasScheduledGoal, insertGoal } from '@aish/database/goals.repository';
import { setCarryOver } from '@aish/database/session-sandbox.repository';
import { appendTurns } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';

export interface GoalToCreate {
  readonly goal: CreateGoal;
  readonly createdBy: string;
  /** Told to the model after the goal. */
  readonly notices?: readonly string[];
  /** The session that it is given in. */
  readonly chatId?: string;
  /** The schedule that gives it, and what names this one of its goals. */
  readonly schedule?: { readonly id: string; readonly key: string };
}

/** Writes session, goal, first turn and first event. Null: the schedule has given this goal already. */
export async function createGoal(
  tx: Tx,
  { goal: input, createdBy, schedule, chatId, notices = [] }: GoalToCreate,
): Promise<{ readonly goal: Goal; readonly notice: Notice } | null> {
  if (schedule !== undefined && (await hasScheduledGoal(tx, schedule.key))) return null;
  const goal = await insertGoal(tx, {
    ...input,
    id: randomUUID(),
    sessionId: randomUUID(),
    createdBy,
    ...(schedule === undefined ? {} : { schedule }),
    ...(chatId === undefined ? {} : { chatId }),
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
