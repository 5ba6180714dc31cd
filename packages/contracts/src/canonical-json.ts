/** Returns JSON in which the order of keys does not matter. Stored digests depend on it, so it never changes. */
export function canonicalJson(value: unknown): string {
  const sorted = (_key: string, each: unknown): unknown =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each;
  return JSON.stringify(value, sorted) ?? '';
}
