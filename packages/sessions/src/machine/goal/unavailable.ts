import { changeAction, noChange } from '@aish/actions';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { end } from './policy.js';
import type { GoalMachine } from './state.js';

/** A goal ends after this many unexpected errors in a row. */
export const FAILURES_MAX = 5;

/** Handles an unavailable service. It does not end the goal, which waits and continues by itself. */
export function handleUnavailable(machine: GoalMachine, event: Extract<GoalEvent, { type: 'unavailable' }>): Advance {
  if (machine.state === 'halted' || machine.state === 'paused') return noChange(machine);
  const records: GoalRecord[] = [];
  let waiting: GoalMachine = { ...machine, state: 'waiting' };
  const started = machine.step?.actions.find((action) => action.state === 'started');
  if (event.what === 'sandbox' && !event.began && started !== undefined) {
    waiting = changeAction(waiting, started.id, { state: 'approved' });
    records.push({ type: 'setAction', actionId: started.id, state: 'approved' });
  }
  records.push({ type: 'setGoal', state: 'waiting', reason: event.reason, waitingFor: event.what, summary: null });
  return { machine: waiting, records, effect: null };
}

/** Handles an unexpected error. The goal is retried a limited number of times. */
export function handleError(machine: GoalMachine, reason: string): Advance {
  if (machine.state === 'halted' || machine.state === 'paused') return noChange(machine);
  const failures = machine.failures + 1;
  const failed = { ...machine, failures };
  if (failures >= FAILURES_MAX) return end(failed, 'failed', `${reason} (${failures} times in a row)`, null, []);
  return {
    machine: { ...failed, state: 'waiting' },
    records: [{ type: 'setGoal', state: 'waiting', reason, waitingFor: 'retry', summary: null }],
    effect: null,
  };
}
