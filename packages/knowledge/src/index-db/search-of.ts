import type { KnowledgeQuery } from '@aish/contracts/knowledge';
import type {
  KnowledgeSearch,
  KnowledgeStatistics,
  KnowledgeWay,
  WeighedPlace,
} from '@aish/database/knowledge-search.repository';
import type { ProjectScope } from '../query/access.js';
import { ID_START, type FieldWeights } from '../query/rank.js';
import { FIELD_WEIGHTS, type Field } from '../query/searchable.js';
import { tokensOf, type Stage } from '../query/terms.js';
import { FIELDS, anywhere, byScore, filterOf, inField, lexeme, type Form } from './lexemes.js';

/** The maximum number of words for which queries by score are made. More words have too many combinations of fields. */
const BY_SCORE_MAX_TERMS = 3;
/**
 * A word is frequent if this share of the nodes, and at least `MANY` nodes, contain it. For a prefix, the index would
 * list half of them.
 */
const FREQUENT = 0.02;
const MANY = 1_000;

/** Converts one interpretation of a question to a search for Postgres. */
export function searchOf(
  query: KnowledgeQuery,
  { terms, holds }: Stage,
  scope: ProjectScope,
  { shares, nodes }: Pick<KnowledgeStatistics, 'shares' | 'nodes'>,
  weights: readonly FieldWeights[],
): KnowledgeSearch {
  const filter = filterOf(query, scope);
  const filtered = (tsquery: string): string => (filter === null ? tsquery : `(${tsquery}) & ${filter}`);
  const rarest = terms.map((term) => ({ term, share: shareOf(term, shares) })).toSorted((a, b) => a.share - b.share);
  const rare = rarest.flatMap(({ term, share }) => (isFrequent(share, nodes) ? [] : [term]));
  const frequent = rarest.flatMap(({ term, share }) => (isFrequent(share, nodes) ? [term] : []));
  const id = query.text.trim().toLowerCase().replace(/^id:/, '');
  return {
    ...query,
    ways: holds === 'all' ? waysToAll(terms, rare, frequent, filtered) : [wayToAny(rare, frequent, filtered)],
    exactAll: join(terms, '&', 'exact'),
    exactTitle: terms.map((term) => inField(term, 'A', 'exact')).join(' & '),
    exact: terms.map((term) => places(term, 'exact')),
    prefix: terms.map((term, n) => places(term, 'prefix', weights[n])),
    titleKey: tokensOf(query.text).join(' '),
    idStart: ID_START.test(id) ? id : null,
    held: holds === 'all' ? [] : terms.map((term) => anywhere(term, 'prefix')),
  };
}

type Shares = KnowledgeStatistics['shares'];

function shareOf(term: string, shares: Shares): number {
  return Math.max(...FIELDS.map((field) => shares.get(lexeme(term, field)) ?? 0));
}

function isFrequent(share: number, nodes: number): boolean {
  return share >= FREQUENT && share * nodes >= MANY;
}

/** Returns for each word a `tsquery` that counts its nodes, or their number if it is known well enough. */
export function toCount(
  terms: readonly string[],
  { shares, nodes }: Pick<KnowledgeStatistics, 'shares' | 'nodes'>,
): (string | number)[] {
  return terms.map((term) => {
    const share = shareOf(term, shares);
    return isFrequent(share, nodes) ? Math.round(share * nodes) : anywhere(term, 'prefix');
  });
}

type Filtered = (tsquery: string) => string;

/** Returns the ways to find nodes with all the words. Whole words rank before prefixes, and are faster to find. */
function waysToAll(
  terms: readonly string[],
  rare: readonly string[],
  frequent: readonly string[],
  filtered: Filtered,
): KnowledgeWay[] {
  const exact = filtered(join(terms, '&', 'exact'));
  const whole: KnowledgeWay = {
    match: exact,
    rest: null,
    many: 'unknown',
    byScore: terms.length > BY_SCORE_MAX_TERMS ? null : byScore(terms).map(filtered),
    likely: [filtered(terms.map((term) => inField(term, 'A', 'exact')).join(' & ')), exact],
  };
  // At least one word must be looked up, namely the rarest.
  const looked = rare.length > 0 ? rare : frequent.slice(0, 1);
  const rest = rare.length > 0 ? frequent : frequent.slice(1);
  const match = filtered(join(looked, '&', 'prefix'));
  const beginnings: KnowledgeWay = {
    match,
    rest: rest.length === 0 ? null : join(rest, '&', 'prefix'),
    many: 'unknown',
    byScore: null,
    likely: [match],
  };
  return [whole, beginnings];
}

/**
 * Returns the way to find nodes with any of the words. Frequent words match only as whole words here, so that nobody
 * needs to count the matches.
 */
function wayToAny(rare: readonly string[], frequent: readonly string[], filtered: Filtered): KnowledgeWay {
  const words = [
    ...rare.map((term) => anywhere(term, 'prefix')),
    ...frequent.map((term) => anywhere(term, 'exact')),
  ].join(' | ');
  const titles = [
    ...rare.map((term) => inField(term, 'A', 'prefix')),
    ...frequent.map((term) => inField(term, 'A', 'exact')),
  ].join(' | ');
  const many = frequent.length > 0 ? 'surely' : 'likely';
  return { match: filtered(words), rest: null, many, byScore: null, likely: [titles, words].map(filtered) };
}

function join(terms: readonly string[], operator: '&' | '|', form: Form): string {
  return terms.map((term) => anywhere(term, form)).join(` ${operator} `);
}

function places(term: string, form: Form, weights: FieldWeights = FIELD_WEIGHTS): WeighedPlace[] {
  return Object.entries(weights).map(([field, weight]) => ({
    tsquery: inField(term, field as Field, form),
    weight,
  }));
}
