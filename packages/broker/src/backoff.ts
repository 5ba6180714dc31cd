export interface RetryOptions {
  /** Tries in all, the first one included. */
  readonly attempts: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY: RetryOptions = { attempts: 5, minDelayMs: 250, maxDelayMs: 4_000 };

/**
 * The pause after try number `attempt` (from 1), in whole milliseconds: doubled each time up to `maxDelayMs`, of which
 * the upper half is left to chance, so that several waiters do not come back in step.
 * @param chance between 0 and 1.
 */
export function retryDelayMs(attempt: number, options: RetryOptions, chance: number): number {
  const full = Math.min(options.maxDelayMs, options.minDelayMs * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + chance / 2));
}
