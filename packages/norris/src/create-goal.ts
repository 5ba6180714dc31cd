import { randomUUID } from 'node:crypto';
import { openInSpace } from '@aish/actions';
import type { Notice } from '@aish/contracts/events';
import { DEFAULT_PRESET, DEFAULT_STEP_BUDGET, type CreateGoal, type Goal } from '@aish/contracts/goals';
import type { HostFolderOffer } from '@aish/contracts/host-folders';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { deviate, emptySpace } from '@aish/contracts/spaces';
import { proposeCheckTurn } from '@aish/conversation';
import { appendEvents } from '@aish/database/events.repository';
import { hasScheduledGoal, insertGoal } from '@aish/database/goals.repository';
import { setCarryOver } from '@aish/database/session-sandbox.repository';
import { findSpace } from '@aish/database/spaces.repository';
import { appendTurns } from '@aish/database/turns.repository';
import type { Tx } from '@aish/database/tx';
import { withMachine } from './with-machine.js';

export interface GoalToCreate {
  readonly goal: CreateGoal;
  readonly createdBy: string;
  /** Told to the model after the goal. */
  readonly notices?: readonly string[];
  /** The session that it is given in. */
  readonly chatId?: string;
  /** Folders of the host that there are, to tell the model of those that it gets. */
  readonly folders?: readonly HostFolderOffer[];
  /** Its steps, where neither it nor its space says how many. */
  readonly maxSteps?: number;
  /** The schedule that gives it, and what names this one of its goals. */
  readonly schedule?: { readonly id: string; readonly key: string };
}

/**
 * Writes session, goal, first turns and first event, with the reach of its space as it is now.
 * @returns null: the schedule has given this goal already.
 */
export async function createGoal(
  tx: Tx,
  {
    goal: input,
    createdBy,
    schedule,
    chatId,
    notices = [],
    folders = [],
    maxSteps = DEFAULT_STEP_BUDGET,
  }: GoalToCreate,
): Promise<{ readonly goal: Goal; readonly notice: Notice } | null> {
  if (schedule !== undefined && (await hasScheduledGoal(tx, schedule.key))) return null;
  const name = input.space ?? DEFAULT_SPACE;
  // An app's own may be one of which nothing was said, and one that was removed reaches nothing.
  const space = (await findSpace(tx, name)) ?? emptySpace(name);
  const reach = deviate(space, input);
  const goal = await insertGoal(tx, {
    ...input,
    ...reach,
    space: name,
    stepBudget: reach.stepBudget ?? maxSteps,
    preset: reach.preset ?? DEFAULT_PRESET,
    id: randomUUID(),
    sessionId: randomUUID(),
    createdBy,
    ...(schedule === undefined ? {} : { schedule }),
    ...(chatId === undefined ? {} : { chatId }),
  });
  const { id: goalId, sessionId, number, text, preset, stepBudget } = goal;
  if (!input.carryOver) await setCarryOver(tx, sessionId, false);
  const reached = await openInSpace(tx, sessionId, reach, folders);
  await appendTurns(tx, sessionId, [
    { role: 'user', content: text },
    ...[...notices, ...reached].map((content) => ({ role: 'notice' as const, content })),
    ...(input.proposeCheck ? [{ role: 'notice' as const, content: proposeCheckTurn }] : []),
  ]);
  const seq = await appendEvents(tx, sessionId, [{ type: 'goal.created', goalId, number, text, preset, stepBudget }]);
  const notice: Notice = { type: 'events', sessionId, seq, goalId, types: ['goal.created'] };
  if (!input.paused) return { goal, notice };
  const paused = await withMachine(tx, goalId, async () => ({ event: { type: 'paused', by: createdBy } }));
  return { goal: { ...goal, state: 'paused', reason: `paused by ${createdBy}` }, notice: paused.notice ?? notice };
}
