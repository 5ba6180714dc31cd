export interface RestartPolicy {
  /** The number of deaths in the window after which the child is given up. */
  readonly deathsAllowed: number;
  readonly windowMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

export const RESTART_POLICY: RestartPolicy = {
  deathsAllowed: 5,
  windowMs: 120_000,
  firstPauseMs: 250,
  longestPauseMs: 15_000,
};

export type RestartDecision = { readonly kind: 'restart'; readonly pauseMs: number } | { readonly kind: 'give-up' };

/**
 * Decides what to do about a child that died: restart it after a pause that doubles with each recent death, or give up.
 * @param deaths the times in epoch milliseconds, including the current one
 */
export function afterDeath(
  deaths: readonly number[],
  nowMs: number,
  policy: RestartPolicy = RESTART_POLICY,
): RestartDecision {
  const recent = deaths.filter((at) => nowMs - at < policy.windowMs).length;
  if (recent > policy.deathsAllowed) return { kind: 'give-up' };
  return {
    kind: 'restart',
    pauseMs: Math.min(policy.firstPauseMs * 2 ** Math.max(recent - 1, 0), policy.longestPauseMs),
  };
}
