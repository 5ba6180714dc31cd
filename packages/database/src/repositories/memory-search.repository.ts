import type { MemoryItem } from '@aish/contracts/memory';
import type { Tx } from '../tx.js';
import { toMemoryItem, type MemoryEntryRow } from './memory-items.repository.js';
import { storable } from './storable.js';

/** A word of a question as the index has it, and what it weighs: the rarer, the more. */
export interface SearchTerm {
  readonly lexeme: string;
  readonly weight: number;
}

export type ScoredItem = MemoryItem & { readonly score: number };

/** The words of a question as the index has them (see its migration), without those that mean nothing. */
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
 * Active items that `query` matches, best first: by the weights of the words that they hold, shorter and newer first
 * among equals.
 * @param query a tsquery; at most some thousands of items should match it.
 */
export async function searchByWords(
  tx: Tx,
  owner: string,
  query: string,
  terms: readonly SearchTerm[],
  limit: number,
): Promise<ScoredItem[]> {
  const rows = await tx.$queryRaw<(MemoryEntryRow & { score: number })[]>`
    with hits as (
      select number, at, length(search) as words,
             (select coalesce(sum(t.weight), 0)
              from unnest(${terms.map((term) => term.lexeme)}::text[], ${terms.map((term) => term.weight)}::float8[])
                     as t(lexeme, weight)
              where t.lexeme = any(tsvector_to_array(search))) as weight
      from memory_entries
      where owner = ${owner} and target is null and forgotten_by is null and search @@ ${query}::tsquery),
    best as (
      select number, weight / (1 + 0.05 * ln(1 + words)) as score, at from hits
      order by score desc, at desc, number desc limit ${limit}::int)
    select e.number, e.kind, e.content, e.target, e.tags, e.origin, e.source, e.by, e.at, e.replaces, e.forgotten_by,
           e.extra, best.score::float8
    from best join memory_entries e on e.owner = ${owner} and e.number = best.number
    order by best.score desc, best.at desc, e.number desc`;
  return rows.map((row) => ({ ...toMemoryItem(row), score: row.score }));
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
