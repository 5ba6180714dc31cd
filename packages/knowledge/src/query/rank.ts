import { heldOf, rarity, saturated, type Held } from '@aish/ranking';
import { FIELD_WEIGHTS, type Field } from './searchable.js';
import { tokensOf } from './terms.js';

/** The fields of a node in which a word of the question was found. */
export interface Found {
  /** The best field that contains the word itself. */
  readonly exact: Field | null;
  /** The best field that contains a word with this beginning. */
  readonly prefix: Field | null;
}

/** The order of results: `tier` first (lower is better), then `score`, then the newest, then the ID. */
export interface Rank {
  readonly tier: 0 | 1 | 2 | 3 | 4;
  readonly score: number;
}

/**
 * Returns the rank of a node. Tier 0: the question is the ID. 1: it is the title. 2: the title has all the words. 3:
 * the node has them. 4: the node has words that begin with them. The score adds up the fields of the words, or of their
 * prefixes in tier 4.
 */
export function rankOf(
  query: string,
  node: { readonly id: string; readonly title: string },
  found: readonly Found[],
  weights: readonly FieldWeights[] = [],
): Rank {
  const exact = found.reduce((sum, each) => sum + weight(each.exact), 0);
  const prefix = found.reduce((sum, each, n) => sum + weight(each.prefix, weights[n]), 0);
  const isWhole = found.length > 0 && found.every((each) => each.exact !== null);
  if (isIdOf(query, node.id)) return { tier: 0, score: 0 };
  if (isWhole && tokensOf(node.title).join(' ') === tokensOf(query).join(' ')) return { tier: 1, score: 0 };
  if (isWhole && found.every((each) => each.exact === 'A')) return { tier: 2, score: 0 };
  return isWhole ? { tier: 3, score: exact } : { tier: 4, score: prefix };
}

function weight(field: Field | null, weights: FieldWeights = FIELD_WEIGHTS): number {
  return field === null ? 0 : weights[field];
}

export type FieldWeights = Readonly<Record<Field, number>>;

const PARTS = 1_000;

/**
 * Returns the weight of each word if a node need not have all of them. Rarer words count more, by BM25, with the field
 * as the term frequency. The weights are whole numbers, so that Postgres computes the same sum.
 */
export function weightsByRarity(nodes: number, holding: readonly number[]): FieldWeights[] {
  return holding.map((n) => {
    const of = (field: Field): number => Math.round(PARTS * rarity(nodes, n) * saturated(FIELD_WEIGHTS[field]));
    return { A: of('A'), B: of('B'), C: of('C'), D: of('D') };
  });
}

/**
 * How much of the question a node contains.
 *
 * @param isHeld for each word, whether the node has it, also as a prefix. @param holding the number of nodes with each
 * word.
 */
export function heldIn(isHeld: readonly boolean[], nodes: number, holding: readonly number[]): Held {
  return heldOf(isHeld, { texts: Math.max(nodes, ...holding), holding });
}

/** Whether a query is the whole ID, or at least its first eight digits. */
export function isIdOf(query: string, id: string): boolean {
  const text = query.trim().toLowerCase().replace(/^id:/, '');
  return ID_START.test(text) && id.startsWith(text);
}

export const ID_START = /^[0-9a-f]{8}(?:-[0-9a-f-]{0,27})?$/;

interface Ranked {
  readonly node: { readonly id: string; readonly updated: string };
  readonly rank: Rank;
}

export function compareRanked(a: Ranked, b: Ranked): number {
  if (a.rank.tier !== b.rank.tier) return a.rank.tier - b.rank.tier;
  if (a.rank.score !== b.rank.score) return b.rank.score - a.rank.score;
  if (a.node.updated !== b.node.updated) return a.node.updated < b.node.updated ? 1 : -1;
  return a.node.id < b.node.id ? -1 : 1;
}
