import { KnowledgeHit, type KnowledgeQuery } from '@aish/contracts';
import { joinSql, sql, type Sql } from '../sql.js';
import type { Tx } from '../client.js';

/** What a reader may see: null is everything. `own` leaves `general` out. */
export type KnowledgeReader = { readonly own: readonly string[] } | null;

/** A search in the forms that Postgres takes without a parser of its own. */
export interface KnowledgeSearch extends KnowledgeFilter {
  /** `tsquery` of what a node must hold. */
  readonly tsquery: string;
  /** All the words, as they are. */
  readonly exactAll: string;
  /** Each word as a `tsquery` of its own: itself, and what begins with it. */
  readonly exact: readonly string[];
  readonly prefix: readonly string[];
  /** The words of the question, as titles keep theirs. */
  readonly titleKey: string;
  /** First digits of an id, if that is what was asked for. */
  readonly idStart: string | null;
}

export type KnowledgeFilter = Pick<KnowledgeQuery, 'project' | 'type' | 'status' | 'limit' | 'offset'>;

/** Of what matches outside of titles the newest so many are ranked. */
const RANKED_MAX = 200;
/**
 * Matches are looked for among the newest so many nodes first, in order: common words are found often enough there. For
 * all others the inverted index is asked, for so many at most. Left to itself the planner walks through all nodes for a
 * rare word, or sorts half of them for a common one.
 */
const RECENT = 800;
const RARE_MAX = 1_000;

interface HitRow {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly projects: string[];
  readonly status: string;
  readonly updated_at: Date;
  readonly path: string;
  readonly tags: string[];
  readonly sources: string[];
}

/** All nodes that the reader may see, newest first. */
export async function listKnowledge(tx: Tx, filter: KnowledgeFilter, reader: KnowledgeReader): Promise<KnowledgeHit[]> {
  const rows = await tx.$queryRaw<HitRow[]>`
    select id, title, summary, projects, status, updated_at, path, tags, sources from knowledge_nodes n
    where ${visible(filter, reader)} order by updated_at desc, id limit ${filter.limit} offset ${filter.offset}`;
  return rows.map(toHit);
}

/**
 * The best nodes, best first: exact id, exact title, all words in the title (all of these three are found), then where
 * the words stand, then the newest. Ties within a tier of titles are by time, so no more of them are looked at than asked.
 */
export async function searchKnowledge(
  tx: Tx,
  search: KnowledgeSearch,
  reader: KnowledgeReader,
): Promise<KnowledgeHit[]> {
  const where = visible(search, reader);
  const score = (terms: readonly string[]): Sql =>
    joinSql(
      terms.map((term) => {
        const at = (weights: string): Sql => sql`n.search @@ ${withWeights(term, weights)}::tsquery`;
        return sql`case when ${at('A')} then 8 when ${at('B')} then 4 when ${at('C')} then 3 when ${at('D')} then 1 else 0 end`;
      }),
      ' + ',
    );
  const byId = search.idStart === null ? sql`false` : idRange(search.idStart);
  const enough = search.limit + search.offset;
  const ranked = Math.max(RANKED_MAX, enough);
  const newest = sql`order by n.updated_at desc, n.id`;
  const rows = await tx.$queryRaw<HitRow[]>`
    with recent as materialized (
      select n.id, n.updated_at, n.title_search @@ ${search.exactAll}::tsquery as in_title,
             n.search @@ ${search.tsquery}::tsquery as is_match
      from knowledge_nodes n where ${where} ${newest} limit ${RECENT}
    ), titles as materialized (
      select id, updated_at from recent where in_title order by updated_at desc, id limit ${enough}
    ), rare_titles as materialized (
      select n.id, n.updated_at from knowledge_nodes n
      where (select count(*) from titles) < ${enough} and n.title_search @@ ${search.exactAll}::tsquery and ${where}
      limit ${RARE_MAX}
    ), matches as materialized (
      select id, updated_at from recent where is_match order by updated_at desc, id limit ${ranked}
    ), rare_matches as materialized (
      select n.id, n.updated_at from knowledge_nodes n
      where (select count(*) from matches) < ${ranked} and n.search @@ ${search.tsquery}::tsquery and ${where}
      limit ${RARE_MAX}
    ), found as (
      (select n.id from knowledge_nodes n where ${byId} and ${where} limit ${ranked})
      union
      (select n.id from knowledge_nodes n where n.title_key = ${search.titleKey} and ${where} limit ${ranked})
      union select id from titles
      union (select id from rare_titles order by updated_at desc, id limit ${enough})
      union select id from matches
      union (select id from rare_matches order by updated_at desc, id limit ${ranked})
    ), tiered as (
      select n.id, n.updated_at, case when ${byId} then 0 when n.title_key = ${search.titleKey} then 1
        when n.title_search @@ ${search.exactAll}::tsquery then 2
        when n.search @@ ${search.exactAll}::tsquery then 3 else 4 end as tier
      from found join knowledge_nodes n using (id)
    ), best as (
      select t.*, case when t.tier < 3 then 0 when t.tier = 3 then ${score(search.exact)} else ${score(search.prefix)} end as score
      from tiered t join knowledge_nodes n using (id)
      order by tier, score desc, updated_at desc, id limit ${search.limit} offset ${search.offset}
    )
    select n.id, n.title, n.summary, n.projects, n.status, n.updated_at, n.path, n.tags, n.sources
    from best b join knowledge_nodes n using (id) order by b.tier, b.score desc, b.updated_at desc, b.id`;
  return rows.map(toHit);
}

/** `'word'` -> `'word':A`, `'word':*` -> `'word':*A` */
function withWeights(term: string, weights: string): string {
  return term.endsWith(':*') ? `${term}${weights}` : `${term}:${weights}`;
}

/** All ids that begin so, as a range: the primary key finds them. */
function idRange(start: string): Sql {
  const digits = start.replaceAll('-', '');
  const uuid = (fill: string): string =>
    digits.padEnd(32, fill).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return sql`n.id between ${uuid('0')}::uuid and ${uuid('f')}::uuid`;
}

function visible(search: Partial<KnowledgeFilter>, reader: KnowledgeReader): Sql {
  const all: Sql[] = [sql`true`];
  if (reader !== null) {
    all.push(
      sql`(n.projects && ${[...reader.own]}::text[] or (n.visibility = 'shared' and 'general' = any(n.projects)))`,
    );
  }
  if (search.project !== undefined) all.push(sql`${search.project} = any(n.projects)`);
  if (search.type !== undefined) all.push(sql`${search.type} = any(n.types)`);
  if (search.status !== undefined) all.push(sql`n.status = ${search.status}`);
  return joinSql(all, ' and ');
}

export interface KnowledgeLinkRow {
  readonly relation: string;
  readonly id: string;
  /** Null when there is no such node, or none that the reader may see. */
  readonly title: string | null;
}

/** Where a node is and where its links lead; null when there is none that the reader may see. */
export async function findKnowledgeNode(
  tx: Tx,
  id: string,
  reader: KnowledgeReader,
): Promise<{
  readonly path: string;
  readonly links: KnowledgeLinkRow[];
  readonly backlinks: KnowledgeLinkRow[];
} | null> {
  const where = visible({}, reader);
  const found = await tx.$queryRaw<
    { path: string }[]
  >`select n.path from knowledge_nodes n where n.id = ${id}::uuid and ${where}`;
  const path = found[0]?.path;
  if (path === undefined) return null;
  const links = await tx.$queryRaw<KnowledgeLinkRow[]>`
    select l.relation, l.to_id as id, case when ${where} then n.title end as title
    from knowledge_links l left join knowledge_nodes n on n.id = l.to_id
    where l.from_id = ${id}::uuid order by l.relation, l.to_id`;
  const backlinks = await tx.$queryRaw<KnowledgeLinkRow[]>`
    select l.relation, n.id, n.title from knowledge_links l join knowledge_nodes n on n.id = l.from_id
    where l.to_id = ${id}::uuid and ${where} order by n.updated_at desc, n.id limit 500`;
  return { path, links, backlinks };
}

export interface KnowledgeGraphRow {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly projects: string[];
  readonly links: { relation: string; id: string }[];
}

/** Everything that the reader may see, as a graph. */
export async function knowledgeGraph(tx: Tx, reader: KnowledgeReader): Promise<KnowledgeGraphRow[]> {
  return tx.$queryRaw<KnowledgeGraphRow[]>`
    select n.id, n.title, n.status, n.projects, coalesce((
      select jsonb_agg(jsonb_build_object('relation', l.relation, 'id', l.to_id) order by l.relation, l.to_id)
      from knowledge_links l where l.from_id = n.id), '[]'::jsonb) as links
    from knowledge_nodes n where ${visible({}, reader)} order by n.updated_at desc, n.id`;
}

function toHit(row: HitRow): KnowledgeHit {
  const { id, title, summary, projects, status, path, tags, sources } = row;
  return KnowledgeHit.parse({
    id,
    title,
    summary,
    projects,
    status,
    path,
    tags,
    sources,
    updated: row.updated_at.toISOString(),
  });
}
