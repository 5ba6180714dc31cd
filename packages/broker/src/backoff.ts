export interface RetryOptions {
  /** Number of attempts, including the first one. */
  readonly attempts: number;
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
}

export const DEFAULT_RETRY: RetryOptions = { attempts: 5, minDelayMs: 250, maxDelayMs: 4_000 };

/**
 * Returns the pause after attempt number `attempt` (from 1), in whole milliseconds. It doubles each time up to
 * `maxDelayMs`, and its upper half is random, so that several clients do not retry at the same time.
 *
 * @param chance a random number between 0 and 1.
 */
export function retryDelayMs(attempt: number, options: RetryOptions, chance: number): number {
  const full = Math.min(options.maxDelayMs, options.minDelayMs * 2 ** (attempt - 1));
  return Math.round(full * (0.5 + chance / 2));
}
