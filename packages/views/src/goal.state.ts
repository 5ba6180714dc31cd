import type { GoalState } from '@aish/contracts/goals';

// The contracts know it, too, but bring their schemas along, which the first screen does not wait for.
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
