const DAY_MS = 86_400_000;
const LOOKS_MIN = 5;
const DAYS_MIN = 3;
const LOOKS_MAX = 14;

/**
 * Returns in how many days a disk will be full if it continues to fill as in its last 14 snapshots. Null if it does not
 * fill, or if there is too little data. The slope is the median of all pairs, so one big temporary file does not
 * matter.
 */
export function daysUntilFull(
  looks: readonly { readonly at: Date; readonly used: number }[],
  total: number,
  free: number,
): number | null {
  const last = looks.slice(-LOOKS_MAX).map(({ at, used }) => ({ day: at.getTime() / DAY_MS, used }));
  const [first] = last;
  const newest = last.at(-1);
  if (first === undefined || newest === undefined || last.length < LOOKS_MIN || newest.day - first.day < DAYS_MIN)
    return null;
  const slopes = last
    .flatMap((a, at) => last.slice(at + 1).map((b) => (b.day > a.day ? (b.used - a.used) / (b.day - a.day) : 0)))
    .toSorted((a, b) => a - b);
  const slope = slopes[Math.floor(slopes.length / 2)] ?? 0;
  // Growth of less than a thousandth per day is noise.
  if (slope < total / 1_000) return null;
  return Math.floor(free / slope);
}
