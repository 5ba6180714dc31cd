import { heldOf, probablyAnswers, rarity, saturated } from '@aish/ranking';
import { FIELD_WEIGHTS, type Field } from './searchable.js';
import { tokensOf } from './terms.js';

/** Where one word of the question was found in a node. */
export interface Found {
  /** The best field that holds the word itself. */
  readonly exact: Field | null;
  /** The best field that holds a word which begins with it. */
  readonly prefix: Field | null;
}

/** What decides the order of an answer: `tier` first (lower is better), then `score`, then the newest, then the id. */
export interface Rank {
  readonly tier: 0 | 1 | 2 | 3 | 4;
  readonly score: number;
}

/**
 * 0: it is the id. 1: it is the title. 2: the title holds all the words. 3: the node holds them. 4: it holds words that
 * begin with them. The score counts the fields of the words, of their beginnings in tier 4.
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
 * What each word of a question counts where a node need not hold all of them: the rarer the more, by BM25, with the field
 * as how often it is said. Whole numbers, so that Postgres adds up to the same.
 */
export function weightsByRarity(nodes: number, holding: readonly number[]): FieldWeights[] {
  return holding.map((n) => {
    const of = (field: Field): number => Math.round(PARTS * rarity(nodes, n) * saturated(FIELD_WEIGHTS[field]));
    return { A: of('A'), B: of('B'), C: of('C'), D: of('D') };
  });
}

/**
 * Whether one of these nodes probably answers, although none holds all the words.
 * @param held for each node, which words of the question it holds, or one that begins with it.
 * @param holding in how many nodes each stands.
 */
export function fitsWell(held: readonly (readonly boolean[])[], nodes: number, holding: readonly number[]): boolean {
  const texts = Math.max(nodes, ...holding);
  return held.some((isHeld) => probablyAnswers(heldOf(isHeld, { texts, holding })));
}

/** A whole id, or its first eight digits or more. */
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
