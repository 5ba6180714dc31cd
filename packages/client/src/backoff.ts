const FIRST_PAUSE_MS = 300;
const LONGEST_PAUSE_MS = 10_000;
/** The duration after which a connection counts as good. A connection that delivered anything is good, too. */
const GOOD_AFTER_MS = 5_000;

export interface Attempts {
  /** The number of failures in a row. */
  readonly failures: number;
}

export const noAttempts: Attempts = { failures: 0 };

/**
 * Returns the pause after a lost or refused connection. It doubles with each failure in a row up to 10 s.
 *
 * @param chance a number from 0 to 1, which spreads clients that lost the same server over the second half of the
 *   pause.
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
