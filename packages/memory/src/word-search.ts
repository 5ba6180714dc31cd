import type { Database } from '@aish/database/client';
import {
  frequentLexemes,
  lexemesOf,
  type CandidateText,
  type WordTable,
} from '@aish/database/memory-search.repository';
import { bm25, dated, withoutFillers, type Held, type Place } from '@aish/ranking';

/** Words of a question that are looked at; the rarest, when there are more. */
const TERMS_MAX = 24;
/** Texts that a search looks at, roughly. */
const LOOKED_AT = 500;
const CANDIDATES_MAX = 4 * LOOKED_AT;
const STATISTICS_KEPT_MS = 60_000;
const NOTHING = { score: 0, coverage: 0, evidence: 0 };

/**
 * One word of five in common says very little: a place counts by the square of what it has in common, as places by meaning
 * do. Counted by the share alone, texts that share one common word came before those that a model for sentences had found.
 */
export type ByWords = readonly (Place & Held & { readonly score: number })[];

interface Statistics {
  readonly at: number;
  readonly shares: ReadonlyMap<string, number>;
  readonly texts: number;
}

/** A word of the question, and in which share of all texts it stands. */
interface Term {
  readonly lexeme: string;
  readonly share: number;
  /** It only says when: the day stands for it. */
  readonly isOptional: boolean;
}

type Word = Omit<Term, 'share'>;

/** Which texts a search looks at, and whether these are all that hold any of the words. */
interface Looked {
  readonly query: string;
  readonly isWhole: boolean;
}

/**
 * Ranks texts by the words of a question, by day and by author. Texts that hold its rarest words are ranked by BM25.
 * The database counts how rare words are once a minute. If a search looks at all texts with a word anyway, it counts
 * them itself.
 */
export class WordSearch {
  private statistics: Statistics | null = null;

  constructor(
    private readonly db: Pick<Database, 'statements'>,
    private readonly table: WordTable,
    private readonly now: () => number = Date.now,
  ) {}

  /** Texts on these shelves, best first. */
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
 * Any of the rarest words, as many as keep the number of texts bounded. When even the rarest is too frequent, the texts
 * must hold it and the next rarest, and so on. Null when there is no word.
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

/** A word as a tsquery takes it. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
