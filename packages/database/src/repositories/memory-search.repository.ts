import type { MemoryItem } from '@aish/contracts/memory';
import { sql, type Sql } from '../sql.js';
import type { Tx } from '../tx.js';
import { toMemoryItem, type MemoryEntryRow } from './memory-items.repository.js';
import { storable } from './storable.js';

/** A text whose words suggest that it answers the question. */
export interface CandidateText {
  readonly key: number;
  readonly at: Date;
  /** How often the text contains each word. A tag or a part of a path counts as once. */
  readonly counts: readonly number[];
  readonly length: number;
}

export type ScoredItem = MemoryItem & { readonly score: number };

/** Returns the words of a question in the form of the index (see its migration), without very common English words. */
export async function lexemesOf(tx: Tx, question: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ lexemes: string[] }[]>`
    select tsvector_to_array(to_tsvector('english'::regconfig, q)
                             || to_tsvector('english'::regconfig, translate(q, '/._:-@#=', '        '))) as lexemes
    from (select ${storable(question)}::text as q) as question`;
  return rows[0]?.lexemes ?? [];
}

/** Below this number of texts, the server's statistics may be missing, so rows are counted. */
const COUNTED = 2_000;

/** A table of texts that is searched by words. */
export interface WordTable {
  readonly name: 'memory_entries' | 'recall_texts';
  /** Selects the number of texts. */
  readonly count: Sql;
  /**
   * Returns texts on these shelves that match `query` (a tsquery), newest first. At most a few thousand should match.
   */
  candidates(
    tx: Tx,
    shelves: readonly string[],
    query: string,
    lexemes: readonly string[],
    limit: number,
  ): Promise<CandidateText[]>;
}

/**
 * Returns the share of a table's texts that contain each frequent word, at the server's last count (analyze). A word
 * that is missing is rarer than any word in the list.
 */
export async function frequentLexemes(
  tx: Tx,
  { name, count }: WordTable,
): Promise<{ readonly shares: ReadonlyMap<string, number>; readonly texts: number }> {
  const rows = await tx.$queryRaw<{ lexemes: string[] | null; shares: number[] | null; texts: number }[]>`
    select s.most_common_elems::text::text[] as lexemes, s.most_common_elem_freqs::float8[] as shares,
           case when c.reltuples < ${COUNTED} then ${count} else c.reltuples end::float8 as texts
    from pg_class c left join pg_stats s
      on s.schemaname = c.relnamespace::regnamespace::text and s.tablename = c.relname and s.attname = 'search'
    where c.oid = ${name}::text::regclass`;
  const row = rows[0];
  const shares = new Map((row?.lexemes ?? []).map((lexeme, n) => [lexeme, row?.shares?.[n] ?? 0]));
  return { shares, texts: row?.texts ?? 0 };
}

/** Counts how often a text contains each word of the question. */
function countsOf(lexemes: readonly string[]): Sql {
  return sql`(select array_agg(coalesce(cardinality(word.positions), case when word.lexeme is null then 0 else 1 end)
                               order by asked.n)
              from unnest(${[...lexemes]}::text[]) with ordinality as asked(lexeme, n)
                left join unnest(search) as word on word.lexeme = asked.lexeme) as counts`;
}

/** The words of active items. A shelf is an owner. */
export const ITEM_WORDS: WordTable = {
  name: 'memory_entries',
  count: sql`(select count(*) from memory_entries)`,
  candidates: (tx, shelves, query, lexemes, limit) => tx.$queryRaw`
    select number as key, at, length(search) as length, ${countsOf(lexemes)} from memory_entries
    where owner = any(${[...shelves]}::text[]) and target is null and forgotten_by is null and search @@ ${query}::tsquery
    order by at desc, number desc limit ${limit}::int`,
};

/** The words of the chunks that recall searches. */
export const TEXT_WORDS: WordTable = {
  name: 'recall_texts',
  count: sql`(select count(*) from recall_texts)`,
  candidates: (tx, shelves, query, lexemes, limit) => tx.$queryRaw`
    select id as key, at, length(search) as length, ${countsOf(lexemes)} from recall_texts
    where shelf = any(${[...shelves]}::text[]) and search @@ ${query}::tsquery order by at desc, id desc limit ${limit}::int`,
};

/** Finds active items with a part that is spelled nearly like the question, for questions with typos. */
export async function searchBySpelling(
  tx: Tx,
  owner: string,
  question: string,
  threshold: number,
  limit: number,
): Promise<ScoredItem[]> {
  const text = storable(question);
  await tx.$executeRaw`select set_config('pg_trgm.word_similarity_threshold', ${String(threshold)}, true)`;
  const rows = await tx.$queryRaw<(MemoryEntryRow & { score: number })[]>`
    select number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra,
           word_similarity(${text}, content)::float8 as score
    from memory_entries
    where owner = ${owner} and target is null and forgotten_by is null and ${text} <% content
    order by score desc, at desc, number desc limit ${limit}::int`;
  return rows.map((row) => ({ ...toMemoryItem(row), score: row.score }));
}
