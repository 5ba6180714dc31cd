import type { LifePolicy } from '@aish/actions';
import type { GoalState } from '@aish/contracts/goals';
import { approvedTurn } from '@aish/conversation';
import type { GoalRecord } from './events.js';
import type { GoalMachine } from './state.js';

/** A goal halts before what a person has to decide, and is queued again for any worker once they have. */
export const GOAL_POLICY: LifePolicy<GoalMachine, GoalRecord> = {
  of: 'goal',
  questionOf: () => 'halt',
  // A paused goal stays paused, and is asked all the same; it has its answer when it is resumed.
  halt: (machine, reason) =>
    machine.state === 'paused' ? { machine, records: [] } : become(machine, 'halted', reason),
  release: (machine) => (machine.state === 'paused' ? { machine, records: [] } : become(machine, 'queued', null)),
  // Its worker is free meanwhile.
  wait: (machine, { label }, { note }) => ({
    machine: { ...machine, state: 'waiting' },
    records: [
      {
        type: 'setGoal',
        state: 'waiting',
        reason: `${label} goes on at its server${note === null ? '' : `: ${note}`}`,
        waitingFor: 'tool',
        summary: null,
      },
    ],
    effect: null,
  }),
  approvedTurn,
  orElse: 'Do something else, or end with a line "GOAL: blocked" and the reason.',
};

function become(machine: GoalMachine, state: GoalState, reason: string | null) {
  return { machine: { ...machine, state }, records: [setGoal(state, reason)] };
}

export function setGoal(state: GoalState, reason: string | null): GoalRecord {
  return { type: 'setGoal', state, reason, waitingFor: null, summary: null };
}
