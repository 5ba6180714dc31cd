import type { Database } from '@aish/database/client';
import {
  frequentLexemes,
  lexemesOf,
  searchBySpelling,
  searchByWords,
  type ScoredItem,
  type SearchTerm,
} from '@aish/database/memory-search.repository';
import { inTransaction } from '@aish/database/transaction';

/** Words of a question that are looked at; the rarest, when there are more. */
const TERMS_MAX = 24;
/** Items that a search looks at, roughly. */
const LOOKED_AT = 500;
const STATISTICS_KEPT_MS = 60_000;
/** How much of a question's spelling must be found in an item. */
const SPELLING = 0.45;

interface Statistics {
  readonly at: number;
  readonly shares: ReadonlyMap<string, number>;
  readonly entries: number;
}

/**
 * Finds items by words: those that hold the rarest words of the question, weighed by how rare they are; if there are none,
 * those that are spelled nearly like it. How rare words are is asked of the database once a minute.
 */
export class ItemSearch {
  private statistics: Statistics | null = null;

  constructor(
    private readonly db: Pick<Database, 'statements' | 'pool'>,
    private readonly now: () => number = Date.now,
  ) {}

  /** Active items of the owner, best first. */
  async find(owner: string, question: string, limit: number): Promise<ScoredItem[]> {
    const [lexemes, statistics] = await Promise.all([lexemesOf(this.db.statements, question), this.shares()]);
    const terms = weigh(lexemes, statistics);
    const query = queryOf(terms, statistics);
    const found = query === null ? [] : await searchByWords(this.db.statements, owner, query, terms, limit);
    if (found.length > 0) return found;
    return inTransaction(this.db, (tx) => searchBySpelling(tx, owner, question, SPELLING, limit));
  }

  private async shares(): Promise<Statistics> {
    const now = this.now();
    if (this.statistics === null || now - this.statistics.at > STATISTICS_KEPT_MS) {
      this.statistics = { at: now, ...(await frequentLexemes(this.db.statements)) };
    }
    return this.statistics;
  }
}

type Known = Pick<Statistics, 'shares' | 'entries'>;

/** Rarest first. */
function weigh(lexemes: readonly string[], { shares, entries }: Known): readonly SearchTerm[] {
  const rare = 1 / Math.max(1_000, entries);
  return lexemes
    .map((lexeme) => ({ lexeme, weight: Math.log(1 + 1 / Math.max(rare, shares.get(lexeme) ?? rare)) }))
    .toSorted((a, b) => b.weight - a.weight)
    .slice(0, TERMS_MAX);
}

/**
 * Any of the rarest words, as many as keep the number of items bounded. When even the rarest is too frequent, the items
 * must hold it and the next rarest, and so on. Null when there is no word.
 */
function queryOf(terms: readonly SearchTerm[], { shares, entries }: Known): string | null {
  const expected = (term: SearchTerm): number => (shares.get(term.lexeme) ?? 0) * entries;
  const [first, ...rest] = terms;
  if (first === undefined) return null;
  const parts = [quoted(first.lexeme)];
  let looked = expected(first);
  if (looked > LOOKED_AT) {
    for (const term of rest) {
      if (looked <= LOOKED_AT) break;
      parts.push(quoted(term.lexeme));
      looked *= shares.get(term.lexeme) ?? 0;
    }
    return parts.join(' & ');
  }
  for (const term of rest) {
    looked += expected(term);
    if (looked > LOOKED_AT) break;
    parts.push(quoted(term.lexeme));
  }
  return parts.join(' | ');
}

/** A word as a tsquery takes it. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
