import { constants } from 'node:os';
import type { RunOutcome } from '@aish/contracts/actions';

export interface Ending {
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly durationMs: number;
  /** Why this service killed it, if it tried to. */
  readonly stoppedFor: StopReason | null;
  readonly text: string;
  readonly omittedBytes: number;
}

/** `disk`: the host was about to run out of space. */
export type StopReason = 'timeout' | 'cancel' | 'disk';

const KILLED = 128 + constants.signals.SIGKILL;
// Backwards, so that the first name of a number stays: 134 is SIGABRT, not its alias SIGIOT.
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals)
    .toReversed()
    .map(([name, number]) => [128 + number, name]),
);

/** How a run ended, from what the engine says about its container. */
export function outcomeOf(ending: Ending): RunOutcome {
  // Only a kill gives 137: what ended by itself a moment before it was killed has its own code.
  const wasStopped = ending.stoppedFor !== null && ending.exitCode === KILLED;
  return {
    exitCode: wasStopped ? null : ending.exitCode,
    signal: SIGNAL_NAMES.get(ending.exitCode) ?? null,
    // The engine's flag is also set when only a child died for want of memory and the command went on.
    outOfMemory: ending.oomKilled && ending.exitCode === KILLED,
    timedOut: wasStopped && ending.stoppedFor === 'timeout',
    cancelled: wasStopped && ending.stoppedFor === 'cancel',
    durationMs: Math.round(ending.durationMs),
    output: ending.text,
    omittedBytes: ending.omittedBytes,
  };
}

/** The outcome of a run that was cancelled before its command began. */
export const CANCELLED_IN_QUEUE: RunOutcome = {
  exitCode: null,
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: true,
  durationMs: 0,
  output: '',
  omittedBytes: 0,
};

/** How a run ended, in a word: for metrics, where every word is a series. */
export function endOf({ exitCode, signal, outOfMemory, timedOut, cancelled }: RunOutcome): string {
  if (cancelled) return 'cancelled';
  if (timedOut) return 'timed_out';
  if (outOfMemory) return 'out_of_memory';
  if (exitCode === 0) return 'ok';
  return signal === null ? 'failed' : 'killed';
}
