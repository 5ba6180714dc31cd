import {
  KNOWLEDGE_LIMITS,
  type KnowledgeHit,
  type KnowledgeHits,
  type KnowledgeQuery,
  type KnowledgeNode,
} from '@aish/contracts/knowledge';
import { probablyAnswers } from '@aish/ranking';
import type { KnowledgeNodeFile } from '../node/node.js';
import { mayRead, type ProjectScope } from './access.js';
import { compareRanked, heldIn, isIdOf, rankOf, weightsByRarity, type FieldWeights, type Found } from './rank.js';
import { FIELD_WEIGHTS, wordsOf, type Field } from './searchable.js';
import { isBeginning, termsOf, stagesOf, type Stage } from './terms.js';

/** Searches nodes in memory by the same rules as the index in Postgres. */
export function searchNodes(
  nodes: readonly KnowledgeNodeFile[],
  query: KnowledgeQuery,
  scope: ProjectScope,
): Omit<KnowledgeHits, 'commit' | 'meaning'> {
  const readable = nodes.filter((node) => mayRead(scope, node) && fits(node, query));
  if (query.text.trim() === '') {
    const all = readable.map((node) => ({ node, found: [] }));
    return { items: page(all, query).map(({ node }) => toHit(node)), relaxed: false, fits: true };
  }
  const terms = termsOf(query.text);
  if (terms.length === 0) return NOTHING;
  const words = new Map(nodes.map((node) => [node, wordsOf(node)]));
  const own = readable.map((node) => [node, words.get(node) ?? new Map<string, Field>()] as const);
  for (const stage of stagesOf(terms)) {
    const matches = matchesOf(own, stage, query.text);
    if (matches.length === 0) continue;
    const holding = stage.holds === 'any' ? holdingOf([...words.values()], stage) : [];
    const best = page(matches, query, weightsByRarity(nodes.length, holding));
    const isHeld = best.map(({ found }) => found.map(({ prefix }) => prefix !== null));
    const fits = stage.holds === 'all' || isHeld.some((each) => probablyAnswers(heldIn(each, nodes.length, holding)));
    return { items: best.map(({ node }) => toHit(node)), relaxed: stage.isRelaxed, fits };
  }
  return NOTHING;
}

const NOTHING = { items: [], relaxed: false, fits: false };

interface Match {
  readonly node: KnowledgeNodeFile;
  readonly found: readonly Found[];
}

function matchesOf(
  words: readonly (readonly [KnowledgeNodeFile, ReadonlyMap<string, Field>])[],
  { terms, holds }: Stage,
  text: string,
): Match[] {
  return words.flatMap(([node, fieldOf]) => {
    const found = terms.map((term) => ({ exact: fieldOf.get(term) ?? null, prefix: bestField(fieldOf, term) }));
    const isThere = ({ prefix }: Found): boolean => prefix !== null;
    const isMatch = holds === 'all' ? found.every(isThere) : found.some(isThere);
    return isMatch || isIdOf(text, node.id) ? [{ node, found }] : [];
  });
}

/** Returns the number of nodes with each word, also as a prefix. */
function holdingOf(words: readonly ReadonlyMap<string, Field>[], { terms }: Stage): number[] {
  return terms.map((term) => words.filter((each) => bestField(each, term) !== null).length);
}

function bestField(words: ReadonlyMap<string, Field>, term: string): Field | null {
  if (!isBeginning(term)) return words.get(term) ?? null;
  let best: Field | null = null;
  for (const [word, field] of words) {
    if (word.startsWith(term) && (best === null || FIELD_WEIGHTS[field] > FIELD_WEIGHTS[best])) best = field;
  }
  return best;
}

function page(all: readonly Match[], query: KnowledgeQuery, weights: readonly FieldWeights[] = []): Match[] {
  return all
    .map((match) => ({ ...match, rank: rankOf(query.text, match.node, match.found, weights) }))
    .toSorted(compareRanked)
    .slice(query.offset, query.offset + query.limit);
}

function fits(node: KnowledgeNodeFile, query: KnowledgeQuery): boolean {
  return (
    (query.project === undefined || node.projects.includes(query.project)) &&
    (query.type === undefined || node.types.includes(query.type)) &&
    (query.status === undefined || node.status === query.status)
  );
}

export function toHit(node: KnowledgeNodeFile): KnowledgeHit {
  const { title, id, summary, projects, status, updated, path, tags, sources } = node;
  return { title, id, summary, projects: [...projects], status, updated, path, tags: [...tags], sources: [...sources] };
}

/** Returns a node as its reader sees it. `readable` are all nodes that the reader may see. */
export function toNode(node: KnowledgeNodeFile, source: string, readable: readonly KnowledgeNodeFile[]): KnowledgeNode {
  const titles = new Map(readable.map(({ id, title }) => [id, title]));
  return {
    ...toHit(node),
    created: node.created,
    lastCurated: node.lastCurated,
    createdBy: node.createdBy,
    confidence: node.confidence,
    visibility: node.visibility,
    body: node.body.slice(0, KNOWLEDGE_LIMITS.bodyMaxChars),
    source,
    links: node.links.map((link) => ({ ...link, title: titles.get(link.id) ?? null })),
    backlinks: readable.flatMap((other) =>
      other.links
        .filter(({ id }) => id === node.id)
        .map(({ relation }) => ({ relation, id: other.id, title: other.title })),
    ),
  };
}
