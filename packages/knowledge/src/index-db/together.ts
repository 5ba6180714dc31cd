import type { KnowledgeHit } from '@aish/contracts/knowledge';
import { fused, type Place } from '@aish/ranking';

/** Most keywords of a node also occur in its parts, so a word counts twice. With full trust, chance hits came first. */
const KEYWORDS = 0.25;

/** Nodes found by keywords, best first. */
export interface ByKeywords {
  readonly items: readonly KnowledgeHit[];
  /** For each node, how much of the question it contains; 1: everything. */
  readonly coverage: readonly number[];
  readonly relaxed: boolean;
}

/**
 * Combines nodes found by keywords and by other rankings in one list. Nodes with all the words stay on top, in their
 * order. For the others all rankings count, as for items of the memory.
 *
 * @param others IDs of nodes. Those that are not in `alike` are omitted, because the reader may not see them.
 */
export function together(
  { items, coverage, relaxed }: ByKeywords,
  others: readonly (readonly Place<string>[])[],
  alike: readonly KnowledgeHit[],
  limit: number,
): { readonly items: KnowledgeHit[]; readonly relaxed: boolean } {
  const isWhole = !relaxed && items.length > 0;
  const places = items.map(({ id }, n): Place<string> => ({ key: id, trust: KEYWORDS * (coverage[n] ?? 0) ** 2 }));
  const seen = new Set(alike.map(({ id }) => id));
  const visible = others.map((ranking) => ranking.filter(({ key }) => seen.has(key)));
  const hits = new Map([...items, ...alike].map((hit) => [hit.id, hit]));
  const ranked = fused([places, ...visible]).flatMap(({ key }) => hits.get(key) ?? []);
  const first = isWhole ? items : [];
  const all = new Map([...first, ...ranked, ...items].map((hit) => [hit.id, hit]));
  return { items: [...all.values()].slice(0, limit), relaxed: !isWhole };
}
