/**
 * How much more the first places count: a smaller value favours them more. Cormack and others (reciprocal rank fusion,
 * 2009) use 60 for equally trusted rankings.
 */
const K = 20;

export interface Place<Key = number> {
  readonly key: Key;
  /** Trust in this place; 1 means full trust. */
  readonly trust: number;
}

/** Merges several rankings by their places, so their scores need not be comparable. */
export function fused<Key = number>(
  rankings: readonly (readonly Place<Key>[])[],
): { readonly key: Key; readonly score: number }[] {
  const scores = new Map<Key, number>();
  for (const ranking of rankings) {
    for (const [n, { key, trust }] of ranking.entries()) scores.set(key, (scores.get(key) ?? 0) + trust / (K + n + 1));
  }
  return [...scores].map(([key, score]) => ({ key, score })).toSorted((a, b) => b.score - a.score);
}
