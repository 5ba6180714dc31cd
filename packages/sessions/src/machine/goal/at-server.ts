import { atServer } from '@aish/actions';
import { advanceActions } from '../session.js';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { GOAL_POLICY, setGoal } from './policy.js';
import type { GoalMachine } from './state.js';

/**
 * Returns the next poll of a goal whose call is a task of its server. The goal stays `waiting` while a runner polls the
 * task. However often it is polled, this leaves one event. Null if no call is such a task.
 */
export function nextPoll(machine: GoalMachine): Advance | null {
  const action = machine.state === 'waiting' ? atServer(machine) : null;
  return action === null ? null : { machine, records: [], effect: { type: 'recover', action } };
}

/** Handles the end of an action, or a poll of a task. */
export function ended(machine: GoalMachine, event: Extract<GoalEvent, { type: 'ended' }>): Advance {
  if (nextPoll(machine) === null) return advanceActions(machine, event, GOAL_POLICY);
  const running: GoalMachine = { ...machine, state: 'running' };
  const after = advanceActions(running, event, GOAL_POLICY);
  if (after.records.length === 0) return { ...after, machine };
  if (after.machine.state === 'running') return { ...after, records: [setGoal('running', null), ...after.records] };
  return after.machine.state === 'waiting' ? { ...after, records: after.records.map(quiet) } : after;
}

function quiet(record: GoalRecord): GoalRecord {
  return record.type === 'setGoal' ? { ...record, isQuiet: true } : record;
}
