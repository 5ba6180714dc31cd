import type { EventBody, Notice } from '@aish/contracts/events';
import { AishError } from '@aish/contracts/problems';
import { haltExpiryOf, lockGoal, supersedeDriver, type GoalRow } from '@aish/database/goals.repository';
import type { Tx } from '@aish/database/tx';
import { announceAdvance } from './announce.js';
import { loadGoal } from './load.js';
import { advance } from './machine/advance.js';
import type { GoalEvent } from './machine/events.js';
import type { GoalMachine } from './machine/state.js';
import { record } from './record.js';

export interface Changed {
  readonly row: GoalRow;
  readonly machine: GoalMachine;
  /** To be published after the commit; null when nothing changed. */
  readonly notice: Notice | null;
}

/**
 * What a person does to a goal: locks its row, as every writer of it does, hands one event to the step machine and
 * writes what follows. Whoever drives the goal until now is refused from then on.
 * @param prepare makes the event from the goal as it is, and events that belong before those of the machine; may throw.
 * @throws AishError `not_found`, and what `prepare` throws.
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
  const decided = advance(loaded.machine, event);
  const { machine, records } = decided;
  await supersedeDriver(tx, goalId);
  const { notice } = await record(tx, records, {
    goalId,
    sessionId: row.session_id,
    epoch: null,
    previous: loaded.machine,
    machine,
    stepText: loaded.stepText,
    wakeInMs: 0,
    haltExpiry: haltExpiryOf(row),
    before,
  });
  announceAdvance(goalId, loaded.machine, event, decided);
  return { row, machine, notice };
}
