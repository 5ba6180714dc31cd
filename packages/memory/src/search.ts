import type { Database } from '@aish/database/client';
import { itemsByNumber } from '@aish/database/memory-items.repository';
import { ITEM_WORDS, searchBySpelling, type ScoredItem } from '@aish/database/memory-search.repository';
import { inTransaction } from '@aish/database/transaction';
import { ITEM_VECTORS } from '@aish/database/vectors.repository';
import { fused, probablyAnswers } from '@aish/ranking';
import { standsOut, type Asked, type Meaning } from './meaning.js';
import { WordSearch } from './word-search.js';

/** Number of results from each of two rankings that are combined. */
export const FUSED_DEPTH = 50;
/** The share of the question's spelling that an item must match. */
const SPELLING = 0.45;

/**
 * The items that were found, and whether the search by meaning was used. `unavailable` means that its model is unavailable.
 */
export interface FoundItems {
  readonly items: ScoredItem[];
  readonly meaning: 'off' | 'used' | 'unavailable';
  /** Whether one of the items probably answers the question. */
  readonly fits: boolean;
}

type Ranking = readonly { readonly key: number; readonly score: number }[];

/** Finds items by words and by meaning. If there are none, it finds items with a similar spelling. */
export class ItemSearch {
  private readonly words: WordSearch;

  constructor(
    private readonly db: Pick<Database, 'statements' | 'pool'>,
    private readonly meaning: Meaning | null = null,
    now: () => number = Date.now,
  ) {
    this.words = new WordSearch(db, ITEM_WORDS, now);
  }

  /**
   * Returns active items of the owner, best first: by words, and by meaning if its model answers.
   *
   * @param asked the embedding of the question, if it was already requested.
   */
  async find(owner: string, question: string, limit: number, asked?: Promise<Asked | null>): Promise<FoundItems> {
    const depth = Math.max(limit, FUSED_DEPTH);
    const [words, near] = await Promise.all([
      this.words.rank([owner], question, this.meaning === null ? limit : depth),
      this.near(owner, asked ?? this.meaning?.ask(question) ?? Promise.resolve(null), depth),
    ]);
    const meaning = this.meaning === null ? 'off' : near === null ? 'unavailable' : 'used';
    const items = await this.fetch(owner, near === null ? words : fused([words, near.places]), limit);
    const fits = words.some(probablyAnswers) || (near !== null && near.places.length > 0 && standsOut(near.distance));
    if (items.length > 0) return { items, meaning, fits };
    const spelled = await inTransaction(this.db, (tx) => searchBySpelling(tx, owner, question, SPELLING, limit));
    return { items: spelled, meaning, fits: false };
  }

  private async near(owner: string, asking: Promise<Asked | null>, depth: number) {
    const asked = await asking;
    if (asked === null || this.meaning === null) return null;
    const { near, distance } = await this.meaning.near(asked, ITEM_VECTORS, owner, depth);
    return { places: near, distance };
  }

  /** Returns the items of the ranking that are still active. */
  private async fetch(owner: string, ranking: Ranking, limit: number): Promise<ScoredItem[]> {
    const numbers = ranking.map(({ key }) => key);
    const rows = numbers.length === 0 ? [] : await itemsByNumber(this.db.statements, owner, numbers);
    const items = new Map(rows.flatMap((item) => (item.forgottenBy === null ? [[item.number, item]] : [])));
    const gone = numbers.filter((number) => !items.has(number));
    this.meaning?.leaveOut(ITEM_VECTORS, owner, gone);
    return ranking
      .flatMap(({ key, score }) => {
        const item = items.get(key);
        return item === undefined ? [] : [{ ...item, score }];
      })
      .slice(0, limit);
  }
}
