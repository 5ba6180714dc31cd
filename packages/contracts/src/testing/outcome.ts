import type { RunOutcome } from '../actions.js';

/** The outcome of a command that succeeded without output. */
export const OUTCOME: RunOutcome = {
  exitCode: 0,
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: false,
  durationMs: 1,
  output: '',
  omittedBytes: 0,
};
