/**
 * How much the first places tell more than those behind them. Cormack and others (reciprocal rank fusion, 2009) take 60 for
 * rankings that are all trusted alike.
 */
const K = 20;

export interface Place {
  readonly key: number;
  /** How much this place is to be trusted, 1 for wholly. */
  readonly trust: number;
}

/** One ranking of several, by the places that each gives: no list's scores need to mean what another's do. */
export function fused(rankings: readonly (readonly Place[])[]): { readonly key: number; readonly score: number }[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [n, { key, trust }] of ranking.entries()) scores.set(key, (scores.get(key) ?? 0) + trust / (K + n + 1));
  }
  return [...scores].map(([key, score]) => ({ key, score })).toSorted((a, b) => b.score - a.score);
}
