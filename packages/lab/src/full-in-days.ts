const DAY_MS = 86_400_000;
const LOOKS_MIN = 5;
const DAYS_MIN = 3;
const LOOKS_MAX = 14;

/**
 * In how many days a disk is full if it goes on filling as in its last 14 snapshots; null if it does not, or if they say too little.
 * The slope is the median of all pairs: one big file that came and went changes nothing.
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
  // What grows by less than a thousandth a day is noise.
  if (slope < total / 1_000) return null;
  return Math.floor(free / slope);
}
