/** The value below which a share `p` (0 to 1) of the samples lie: nearest rank. */
export function percentile(samples: readonly number[], p: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))] ?? Number.NaN;
}

/** One clock for all processes of a machine, milliseconds. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
