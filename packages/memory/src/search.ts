import type { Database } from '@aish/database/client';
import { itemsByNumber } from '@aish/database/memory-items.repository';
import {
  candidatesByWords,
  frequentLexemes,
  lexemesOf,
  searchBySpelling,
  type CandidateItem,
  type ScoredItem,
} from '@aish/database/memory-search.repository';
import { inTransaction } from '@aish/database/transaction';
import { bm25, dateTokens, fused, withoutFillers, type Place } from '@aish/ranking';
import type { Meaning } from './meaning.js';

/** Words of a question that are looked at; the rarest, when there are more. */
const TERMS_MAX = 24;
/** Items that a search looks at, roughly. */
const LOOKED_AT = 500;
const CANDIDATES_MAX = 4 * LOOKED_AT;
/** Of each of two rankings that are made one. */
const FUSED_DEPTH = 50;
const STATISTICS_KEPT_MS = 60_000;
/** How much of a question's spelling must be found in an item. */
const SPELLING = 0.45;

/** Items that were found, and whether by meaning, too; `away`: the model for it does not answer. */
export interface FoundItems {
  readonly items: ScoredItem[];
  readonly meaning: 'off' | 'used' | 'away';
}

type Ranking = readonly { readonly key: number; readonly score: number }[];
/** One word of five in common says little: such a place counts a fifth of one with all of them. */
type ByWords = Ranking & readonly Place[];

interface Statistics {
  readonly at: number;
  readonly shares: ReadonlyMap<string, number>;
  readonly entries: number;
}

/** A word of the question, and in which share of all entries it stands. */
interface Term {
  readonly lexeme: string;
  readonly share: number;
}

/** Which items a search looks at, and whether these are all that hold any of the words. */
interface Looked {
  readonly query: string;
  readonly isWhole: boolean;
}

/**
 * Finds items by words, by day and by whoever wrote them down: those that hold the rarest words of the question, by BM25;
 * if there are none, those that are spelled nearly like it. How rare words are is asked of the database once a minute,
 * and counted where all that hold one are looked at anyway.
 */
export class ItemSearch {
  private statistics: Statistics | null = null;

  constructor(
    private readonly db: Pick<Database, 'statements' | 'pool'>,
    private readonly meaning: Meaning | null = null,
    private readonly now: () => number = Date.now,
  ) {}

  /** Active items of the owner, best first: by words, and by meaning where a model for that answers. */
  async find(owner: string, question: string, limit: number): Promise<FoundItems> {
    const depth = Math.max(limit, FUSED_DEPTH);
    const [words, near] = await Promise.all([
      this.byWords(owner, question, this.meaning === null ? limit : depth),
      this.meaning?.nearest(owner, question, depth) ?? null,
    ]);
    const meaning = this.meaning === null ? 'off' : near === null ? 'away' : 'used';
    const ranking = near === null ? words : fused([words, near.map((key) => ({ key, trust: 1 }))]);
    const items = await this.fetch(owner, ranking, limit);
    if (items.length > 0) return { items, meaning };
    const spelled = await inTransaction(this.db, (tx) => searchBySpelling(tx, owner, question, SPELLING, limit));
    return { items: spelled, meaning };
  }

  private async byWords(owner: string, question: string, limit: number): Promise<ByWords> {
    const [lexemes, statistics] = await Promise.all([this.wordsOf(question), this.shares()]);
    const terms = rarestFirst(lexemes, statistics);
    const looked = lookedAt(terms, statistics);
    return looked === null ? [] : this.ranked(owner, terms, looked, statistics, limit);
  }

  private async wordsOf(question: string): Promise<string[]> {
    const dates = dateTokens(question, new Date(this.now()));
    return [...new Set([...dates, ...(await lexemesOf(this.db.statements, withoutFillers(question)))])];
  }

  private async ranked(
    owner: string,
    terms: readonly Term[],
    { query, isWhole }: Looked,
    statistics: Statistics,
    limit: number,
  ): Promise<ByWords> {
    const lexemes = terms.map(({ lexeme }) => lexeme);
    const candidates = await candidatesByWords(this.db.statements, owner, query, lexemes, CANDIDATES_MAX);
    const scores = bm25(candidates, {
      texts: Math.max(statistics.entries, candidates.length),
      holding: terms.map(({ share }, n) => {
        const counted = candidates.filter(({ counts }) => (counts[n] ?? 0) > 0).length;
        return isWhole && candidates.length < CANDIDATES_MAX ? counted : Math.max(counted, share * statistics.entries);
      }),
      averageLength: candidates.reduce((sum, { length }) => sum + length, 0) / Math.max(1, candidates.length),
    });
    return candidates
      .map((item, n) => ({ ...item, key: item.number, score: scores[n]?.score ?? 0, trust: scores[n]?.coverage ?? 0 }))
      .toSorted((a, b) => b.score - a.score || newestFirst(a, b))
      .slice(0, limit);
  }

  /** Those of the ranking that are still active. */
  private async fetch(owner: string, ranking: Ranking, limit: number): Promise<ScoredItem[]> {
    const numbers = ranking.map(({ key }) => key);
    const rows = numbers.length === 0 ? [] : await itemsByNumber(this.db.statements, owner, numbers);
    const items = new Map(rows.flatMap((item) => (item.forgottenBy === null ? [[item.number, item]] : [])));
    this.meaning?.leaveOut(
      owner,
      numbers.filter((number) => !items.has(number)),
    );
    return ranking
      .flatMap(({ key, score }) => {
        const item = items.get(key);
        return item === undefined ? [] : [{ ...item, score }];
      })
      .slice(0, limit);
  }

  private async shares(): Promise<Statistics> {
    const now = this.now();
    if (this.statistics === null || now - this.statistics.at > STATISTICS_KEPT_MS) {
      this.statistics = { at: now, ...(await frequentLexemes(this.db.statements)) };
    }
    return this.statistics;
  }
}

function newestFirst(a: CandidateItem, b: CandidateItem): number {
  return b.at.getTime() - a.at.getTime() || b.number - a.number;
}

function rarestFirst(lexemes: readonly string[], { shares }: Statistics): readonly Term[] {
  return lexemes
    .map((lexeme) => ({ lexeme, share: shares.get(lexeme) ?? 0 }))
    .toSorted((a, b) => a.share - b.share)
    .slice(0, TERMS_MAX);
}

/**
 * Any of the rarest words, as many as keep the number of items bounded. When even the rarest is too frequent, the items
 * must hold it and the next rarest, and so on. Null when there is no word.
 */
function lookedAt(terms: readonly Term[], { entries }: Statistics): Looked | null {
  const [first, ...rest] = terms;
  if (first === undefined) return null;
  const parts = [quoted(first.lexeme)];
  let looked = first.share * entries;
  if (looked > LOOKED_AT) {
    for (const { lexeme, share } of rest) {
      if (looked <= LOOKED_AT) break;
      parts.push(quoted(lexeme));
      looked *= share;
    }
    return { query: parts.join(' & '), isWhole: false };
  }
  for (const { lexeme, share } of rest) {
    looked += share * entries;
    if (looked > LOOKED_AT) break;
    parts.push(quoted(lexeme));
  }
  return { query: parts.join(' | '), isWhole: parts.length === terms.length };
}

/** A word as a tsquery takes it. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
