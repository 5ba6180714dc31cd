import { constants } from 'node:os';
import type { RunOutcome } from '@aish/contracts/actions';

export interface Ending {
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly durationMs: number;
  /** The reason why this service killed the run, if it tried to. */
  readonly stoppedFor: StopReason | null;
  readonly text: string;
  readonly omittedBytes: number;
}

/** `disk` means that the host was about to run out of space. */
export type StopReason = 'timeout' | 'cancel' | 'disk';

const KILLED = 128 + constants.signals.SIGKILL;
// The order is reversed so that the first name of a number wins: 134 is SIGABRT, not its alias SIGIOT.
const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals)
    .toReversed()
    .map(([name, number]) => [128 + number, name]),
);

/** Describes how a run ended, from the engine's report on its container. */
export function outcomeOf(ending: Ending): RunOutcome {
  // Only a kill gives 137. A command that ended just before the kill has its own code.
  const wasStopped = ending.stoppedFor !== null && ending.exitCode === KILLED;
  return {
    exitCode: wasStopped ? null : ending.exitCode,
    signal: SIGNAL_NAMES.get(ending.exitCode) ?? null,
    // The engine also sets this flag if only a child process ran out of memory and the command itself continued.
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

/** Returns how a run ended in one word for metrics, because each word is a time series. */
export function endOf({ exitCode, signal, outOfMemory, timedOut, cancelled }: RunOutcome): string {
  if (cancelled) return 'cancelled';
  if (timedOut) return 'timed_out';
  if (outOfMemory) return 'out_of_memory';
  if (exitCode === 0) return 'ok';
  return signal === null ? 'failed' : 'killed';
}
