const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;
/** A connection that lived this long, or brought anything, was a good one. */
const GOOD_AFTER_MS = 5_000;

export interface Attempts {
  /** Failures in a row. */
  readonly failures: number;
}

export const noAttempts: Attempts = { failures: 0 };

/**
 * What follows from a lost or refused connection: how long to wait before the next one. The pause doubles with each
 * failure in a row up to 10 s.
 * @param chance 0 to 1; spreads clients that lost the same server over the second half of the pause.
 */
export function afterLoss(
  { failures }: Attempts,
  connection: { readonly openMs: number; readonly messages: number },
  chance: number,
): { readonly attempts: Attempts; readonly pauseMs: number } {
  const wasGood = connection.messages > 0 || connection.openMs >= GOOD_AFTER_MS;
  const count = wasGood ? 1 : failures + 1;
  const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(count - 1, 10));
  return { attempts: { failures: count }, pauseMs: Math.round(pause * (0.5 + chance / 2)) };
}
