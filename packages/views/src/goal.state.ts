import type { GoalState } from '@aish/contracts/goals';

// The contracts also contain this table, but with schemas that would delay the first screen.
const ENDED: Readonly<Record<GoalState, boolean>> = {
  queued: false,
  running: false,
  halted: false,
  paused: false,
  waiting: false,
  done: true,
  blocked: true,
  stalled: true,
  aborted: true,
  exhausted: true,
  failed: true,
};

/** Whether a goal in this state has ended. */
export function hasEnded(state: GoalState): boolean {
  return ENDED[state];
}
