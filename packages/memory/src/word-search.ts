import type { Database } from '@aish/database/client';
import {
  frequentLexemes,
  lexemesOf,
  type CandidateText,
  type WordTable,
} from '@aish/database/memory-search.repository';
import { bm25, dated, withoutFillers, type Held, type Place } from '@aish/ranking';

/** Maximum number of words of a question. If there are more, the rarest are used. */
const TERMS_MAX = 24;
/** Approximate number of texts that a search reads. */
const LOOKED_AT = 500;
const CANDIDATES_MAX = 4 * LOOKED_AT;
const STATISTICS_KEPT_MS = 60_000;
const NOTHING = { score: 0, coverage: 0, evidence: 0 };

/**
 * The places of texts. A place counts by the square of its share of common words, like places by meaning, because one
 * common word of five says very little. With the plain share, texts with one common word came before those found by an
 * embedding model.
 */
export type ByWords = readonly (Place & Held & { readonly score: number })[];

interface Statistics {
  readonly at: number;
  readonly shares: ReadonlyMap<string, number>;
  readonly texts: number;
}

/** A word of the question, and the share of all texts that contain it. */
interface Term {
  readonly lexeme: string;
  readonly share: number;
  /** Whether the word only expresses a time, which the day filter covers. */
  readonly isOptional: boolean;
}

type Word = Omit<Term, 'share'>;

/** The texts that a search reads, and whether these are all texts with any of the words. */
interface Looked {
  readonly query: string;
  readonly isWhole: boolean;
}

/**
 * Ranks texts by the words of a question, by day and by author. Texts with the question's rarest words are ranked by
 * BM25. Once a minute the database counts how rare words are. If a search reads all texts with a word anyway, it counts
 * them itself.
 */
export class WordSearch {
  private statistics: Statistics | null = null;

  constructor(
    private readonly db: Pick<Database, 'statements'>,
    private readonly table: WordTable,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns texts on these shelves, best first. */
  async rank(shelves: readonly string[], question: string, limit: number): Promise<ByWords> {
    const [words, statistics] = await Promise.all([this.wordsOf(question), this.shares()]);
    const terms = rarestFirst(words, statistics);
    const looked = lookedAt(terms, statistics);
    return looked === null ? [] : this.ranked(shelves, terms, looked, statistics, limit);
  }

  private async wordsOf(question: string): Promise<Word[]> {
    const { tokens, rest } = dated(question, new Date(this.now()));
    const [all, others] = await Promise.all([
      lexemesOf(this.db.statements, withoutFillers(question)),
      tokens.length === 0 ? null : lexemesOf(this.db.statements, rest.trim() === '' ? '' : withoutFillers(rest)),
    ]);
    const needed = new Set([...tokens, ...(others ?? all)]);
    return [...new Set([...tokens, ...all])].map((lexeme) => ({ lexeme, isOptional: !needed.has(lexeme) }));
  }

  private async ranked(
    shelves: readonly string[],
    terms: readonly Term[],
    { query, isWhole }: Looked,
    statistics: Statistics,
    limit: number,
  ): Promise<ByWords> {
    const lexemes = terms.map(({ lexeme }) => lexeme);
    const candidates = await this.table.candidates(this.db.statements, shelves, query, lexemes, CANDIDATES_MAX);
    const scores = bm25(candidates, {
      texts: Math.max(statistics.texts, candidates.length),
      holding: terms.map(({ share }, n) => {
        const counted = candidates.filter(({ counts }) => (counts[n] ?? 0) > 0).length;
        return isWhole && candidates.length < CANDIDATES_MAX ? counted : Math.max(counted, share * statistics.texts);
      }),
      optional: terms.map(({ isOptional }) => isOptional),
      averageLength: candidates.reduce((sum, { length }) => sum + length, 0) / Math.max(1, candidates.length),
    });
    return candidates
      .map((text, n) => ({ ...text, ...(scores[n] ?? NOTHING), trust: (scores[n]?.coverage ?? 0) ** 2 }))
      .toSorted((a, b) => b.score - a.score || newestFirst(a, b))
      .slice(0, limit);
  }

  private async shares(): Promise<Statistics> {
    const now = this.now();
    if (this.statistics === null || now - this.statistics.at > STATISTICS_KEPT_MS) {
      this.statistics = { at: now, ...(await frequentLexemes(this.db.statements, this.table)) };
    }
    return this.statistics;
  }
}

function newestFirst(a: CandidateText, b: CandidateText): number {
  return b.at.getTime() - a.at.getTime() || b.key - a.key;
}

function rarestFirst(words: readonly Word[], { shares }: Statistics): readonly Term[] {
  return words
    .map((word) => ({ ...word, share: shares.get(word.lexeme) ?? 0 }))
    .toSorted((a, b) => a.share - b.share)
    .slice(0, TERMS_MAX);
}

/**
 * Selects texts with any of the rarest words. It uses as many words as the limit on texts allows. If even the rarest
 * word is too frequent, the texts must also contain the next rarest, and so on. Null if there are no words.
 */
function lookedAt(terms: readonly Term[], { texts }: Statistics): Looked | null {
  const [first, ...rest] = terms;
  if (first === undefined) return null;
  const parts = [quoted(first.lexeme)];
  let looked = first.share * texts;
  if (looked > LOOKED_AT) {
    for (const { lexeme, share } of rest) {
      if (looked <= LOOKED_AT) break;
      parts.push(quoted(lexeme));
      looked *= share;
    }
    return { query: parts.join(' & '), isWhole: false };
  }
  for (const { lexeme, share } of rest) {
    looked += share * texts;
    if (looked > LOOKED_AT) break;
    parts.push(quoted(lexeme));
  }
  return { query: parts.join(' | '), isWhole: parts.length === terms.length };
}

/** Quotes a word for a tsquery. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
