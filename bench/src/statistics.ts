/** Returns the value below which a share `p` (0 to 1) of the samples lies, by the nearest rank. */
export function percentile(samples: readonly number[], p: number): number {
  if (samples.length === 0) return Number.NaN;
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(p * sorted.length) - 1))] ?? Number.NaN;
}

/** Returns the milliseconds of a clock that all processes of a machine share. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
