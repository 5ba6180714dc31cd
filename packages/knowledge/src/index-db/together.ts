import type { KnowledgeHit, KnowledgeHits } from '@aish/contracts/knowledge';
import { fused } from '@aish/ranking';

/** A node that has some words of a question may have them by chance. */
const SOME_WORDS = 0.25;

/**
 * Nodes by words and by meaning as one list. What holds all the words keeps its place at the top, in the order that the
 * words give; else both rankings count.
 */
export function together(
  { items, relaxed }: Pick<KnowledgeHits, 'items' | 'relaxed'>,
  alike: readonly KnowledgeHit[],
  limit: number,
): Pick<KnowledgeHits, 'items' | 'relaxed'> {
  if (!relaxed && items.length > 0) {
    const ids = new Set(items.map(({ id }) => id));
    return { items: [...items, ...alike.filter(({ id }) => !ids.has(id))].slice(0, limit), relaxed };
  }
  const hits = [...new Map([...items, ...alike].map((hit) => [hit.id, hit])).values()];
  const placesOf = (list: readonly KnowledgeHit[], trust: number) =>
    list.map(({ id }) => ({ key: hits.findIndex((hit) => hit.id === id), trust }));
  const ranking = fused([placesOf(items, SOME_WORDS), placesOf(alike, 1)]);
  return { items: ranking.flatMap(({ key }) => hits[key] ?? []).slice(0, limit), relaxed: true };
}
