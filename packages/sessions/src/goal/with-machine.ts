import type { EventBody, Notice } from '@aish/contracts/events';
import { AishError } from '@aish/contracts/problems';
import type { GoalRow } from '@aish/database/generated/rows';
import { haltExpiryOf, lockGoal, supersedeRunner } from '@aish/database/goals.repository';
import type { Tx } from '@aish/database/tx';
import { loadGoal, type LoadedGoal } from './load.js';
import { advance } from '../machine/goal/advance.js';
import type { GoalEvent } from '../machine/goal/events.js';
import type { GoalMachine } from '../machine/goal/state.js';
import { noticeOf } from '../record.js';
import { announceAdvance, recordGoal } from './record.js';

export interface Changed {
  readonly row: GoalRow;
  readonly machine: GoalMachine;
  /** The notice to publish after the commit; null if nothing changed. */
  readonly notice: Notice | null;
}

/**
 * Applies an action of a person to a goal. It locks the goal's row, as every writer does, passes one event to the step
 * machine and writes the result. From then on, writes of the goal's previous runner are refused.
 *
 * @param prepare makes the event from the current goal, and the events that come before those of the machine. It may
 *   throw.
 * @throws AishError `not_found`, and the errors of `prepare`.
 */
export async function withMachine(
  tx: Tx,
  goalId: string,
  prepare: (
    row: GoalRow,
    machine: GoalMachine,
  ) => Promise<{ readonly event: GoalEvent; readonly before?: readonly EventBody[] }>,
): Promise<Changed> {
  const row = await lockGoal(tx, goalId);
  if (row === null) throw new AishError('not_found', `There is no goal ${goalId}`);
  const loaded = await loadGoal(tx, row);
  const { event, before = [] } = await prepare(row, loaded.machine);
  await supersedeRunner(tx, goalId);
  return write(tx, loaded, event, before);
}

/** Saves the text that the model had written when a person stopped it. The stopped runner calls this. */
export async function keepStopped(
  tx: Tx,
  goalId: string,
  event: Extract<GoalEvent, { type: 'interrupted' }>,
): Promise<Notice | null> {
  const row = await lockGoal(tx, goalId);
  if (row === null) return null;
  // This does not disturb the current runner of the goal, because the machine accepts this event only for a goal
  // without a runner.
  const { notice } = await write(tx, await loadGoal(tx, row), event, []);
  return notice;
}

/** @param loaded the goal of a row that the caller has locked. */
async function write(tx: Tx, loaded: LoadedGoal, event: GoalEvent, before: readonly EventBody[]): Promise<Changed> {
  const { row } = loaded;
  const decided = advance(loaded.machine, event);
  const { machine, records } = decided;
  const { events } = await recordGoal(tx, records, {
    goalId: row.id,
    sessionId: row.session_id,
    epoch: null,
    previous: loaded.machine,
    machine,
    words: loaded.stepText,
    wakeInMs: 0,
    haltExpiry: haltExpiryOf(row),
    before,
  });
  announceAdvance(row.id, loaded.machine, event, decided);
  return { row, machine, notice: noticeOf(row.id, row.session_id, events) };
}
