import type { MemoryItem } from '@aish/contracts/memory';
import type { Tx } from '../tx.js';
import { toMemoryItem, type MemoryEntryRow } from './memory-items.repository.js';
import { storable } from './storable.js';

/** An item that may answer, by the words of the question. */
export interface CandidateItem {
  readonly number: number;
  readonly at: Date;
  /** How often it says each of them; a tag or a part of a path counts as said once. */
  readonly counts: readonly number[];
  readonly length: number;
}

export type ScoredItem = MemoryItem & { readonly score: number };

/** The words of a question as the index has them (see its migration), without those that English says everywhere. */
export async function lexemesOf(tx: Tx, question: string): Promise<string[]> {
  const rows = await tx.$queryRaw<{ lexemes: string[] }[]>`
    select tsvector_to_array(to_tsvector('english'::regconfig, q)
                             || to_tsvector('english'::regconfig, translate(q, '/._:-@#=', '        '))) as lexemes
    from (select ${storable(question)}::text as q) as question`;
  return rows[0]?.lexemes ?? [];
}

/**
 * In which share of the entries each frequent word stands, as the server last counted (analyze). A word that is not
 * among them is rarer than any that is.
 */
export async function frequentLexemes(
  tx: Tx,
): Promise<{ readonly shares: ReadonlyMap<string, number>; readonly entries: number }> {
  const rows = await tx.$queryRaw<{ lexemes: string[] | null; shares: number[] | null; entries: number }[]>`
    select s.most_common_elems::text::text[] as lexemes, s.most_common_elem_freqs::float8[] as shares,
           greatest(c.reltuples, 0)::float8 as entries
    from pg_class c left join pg_stats s
      on s.schemaname = c.relnamespace::regnamespace::text and s.tablename = c.relname and s.attname = 'search'
    where c.oid = 'memory_entries'::regclass`;
  const row = rows[0];
  const shares = new Map((row?.lexemes ?? []).map((lexeme, n) => [lexeme, row?.shares?.[n] ?? 0]));
  return { shares, entries: row?.entries ?? 0 };
}

/**
 * Active items that `query` matches, the newest first.
 * @param query a tsquery; at most some thousands of items should match it.
 */
export function candidatesByWords(
  tx: Tx,
  owner: string,
  query: string,
  lexemes: readonly string[],
  limit: number,
): Promise<CandidateItem[]> {
  return tx.$queryRaw<CandidateItem[]>`
    select number, at, length(search) as length,
           (select array_agg(coalesce(cardinality(word.positions), case when word.lexeme is null then 0 else 1 end)
                             order by asked.n)
            from unnest(${[...lexemes]}::text[]) with ordinality as asked(lexeme, n)
              left join unnest(search) as word on word.lexeme = asked.lexeme) as counts
    from memory_entries
    where owner = ${owner} and target is null and forgotten_by is null and search @@ ${query}::tsquery
    order by at desc, number desc limit ${limit}::int`;
}

/** Active items with a part that is spelled nearly like the question, for questions with mistakes in them. */
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
