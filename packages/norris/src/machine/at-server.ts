import { atServer, ended as endedOf } from '@aish/actions';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { goOn } from './go-on.js';
import { GOAL_POLICY, setGoal } from './policy.js';
import type { GoalMachine } from './state.js';

/**
 * A goal whose call is a task of its server stays `waiting` while somebody looks how that goes on: thousands of looks leave
 * one event. Null where no call is.
 */
export function lookAfter(machine: GoalMachine): Advance | null {
  const action = machine.state === 'waiting' ? atServer(machine) : null;
  return action === null ? null : { machine, records: [], effect: { type: 'recover', action } };
}

/** What was begun has ended, or was looked after. */
export function ended(machine: GoalMachine, event: Extract<GoalEvent, { type: 'ended' }>): Advance {
  if (lookAfter(machine) === null) return endedOf(machine, event, GOAL_POLICY, goOn);
  const after = endedOf({ ...machine, state: 'running' }, event, GOAL_POLICY, goOn);
  if (after.records.length === 0) return { ...after, machine };
  if (after.machine.state === 'running') return { ...after, records: [setGoal('running', null), ...after.records] };
  return after.machine.state === 'waiting' ? { ...after, records: after.records.map(quiet) } : after;
}

function quiet(record: GoalRecord): GoalRecord {
  return record.type === 'setGoal' ? { ...record, isQuiet: true } : record;
}
