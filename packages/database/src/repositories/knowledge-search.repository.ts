import { KnowledgeHit, type KnowledgeQuery } from '@aish/contracts/knowledge';
import type { KnowledgeNodeRow } from '../generated/rows.js';
import { joinSql, sql, type Sql } from '../sql.js';
import type { Tx } from '../tx.js';

/** The nodes that a reader may see, as a `tsquery`; null for all nodes. */
export type KnowledgeReader = string | null;

/** A search as `tsquery` texts, which Postgres accepts without parsing natural language. */
export interface KnowledgeSearch extends KnowledgeFilter {
  /** The ways to find candidates. They are tried in order until there are enough candidates. */
  readonly ways: readonly KnowledgeWay[];
  /** Requires all the exact words, anywhere and in the title. */
  readonly exactAll: string;
  readonly exactTitle: string;
  /** The places of each exact word, from the highest weight to the lowest. */
  readonly exact: readonly (readonly WeighedPlace[])[];
  /** The places of each word that begins with a word of the question. */
  readonly prefix: readonly (readonly WeighedPlace[])[];
  /** The words of the question in the form of the title index. */
  readonly titleKey: string;
  /** The first digits of an ID, if the question is an ID. */
  readonly idStart: string | null;
  /** Queries that are tested on each result, to see whether the node matches. */
  readonly held: readonly string[];
}

export interface FoundKnowledge {
  readonly hit: KnowledgeHit;
  /** The results for `held`. */
  readonly held: readonly boolean[];
}

/** A way to find nodes: the index finds them by `match`, and they must also match `rest`. Filters are included. */
export interface KnowledgeWay {
  readonly match: string;
  /** Words that are too frequent for the index. */
  readonly rest: string | null;
  /** Whether there are too many matches to rank them all. If this is known, no query has to count them. */
  readonly many: 'surely' | 'likely' | 'unknown';
  /** The same nodes in disjoint groups, best first; null if no query can separate them. */
  readonly byScore: readonly string[] | null;
  /** Used if there are too many nodes to rank and `byScore` is null: queries whose newest nodes are ranked. */
  readonly likely: readonly string[];
}

export interface WeighedPlace {
  readonly tsquery: string;
  readonly weight: number;
}

export type KnowledgeFilter = Pick<KnowledgeQuery, 'project' | 'type' | 'status' | 'limit' | 'offset'>;

/** Up to this number, all matches are ranked. */
const FEW = 200;
/** If there are more matches and no query finds the best, the newest ones up to this number are ranked. */
const NEWEST = 100;
/** Below this number of nodes, the server's statistics may be missing, so rows are counted. */
const COUNTED = 2_000;
/** The number of recent nodes in which common words are searched first. */
const RECENT = 1_500;

type HitRow = Pick<
  KnowledgeNodeRow,
  'id' | 'title' | 'summary' | 'projects' | 'status' | 'updated_at' | 'path' | 'tags' | 'sources'
>;

/** Lists all nodes that the reader may see, newest first. */
export async function listKnowledge(tx: Tx, filter: KnowledgeFilter, reader: KnowledgeReader): Promise<KnowledgeHit[]> {
  const rows = await tx.$queryRaw<HitRow[]>`
    select id, title, summary, projects, status, updated_at, path, tags, sources from knowledge_nodes n
    where ${visible(filter, reader)} order by updated_at desc, id limit ${filter.limit} offset ${filter.offset}`;
  return rows.map(toHit);
}

/** Returns the given nodes that pass the filter and that the reader may see, in the order of the IDs. */
export async function knowledgeByIds(
  tx: Tx,
  ids: readonly string[],
  filter: Partial<KnowledgeFilter>,
  reader: KnowledgeReader,
): Promise<KnowledgeHit[]> {
  const rows = await tx.$queryRaw<HitRow[]>`
    select id, title, summary, projects, status, updated_at, path, tags, sources from knowledge_nodes n
    where n.id = any(${[...ids]}::uuid[]) and ${visible(filter, reader)}`;
  const hits = new Map(rows.map((row) => [row.id, toHit(row)]));
  return ids.flatMap((id) => hits.get(id) ?? []);
}

/** Statistics for searches. They change slowly, so callers cache them. */
export interface KnowledgeStatistics {
  /** When the oldest of the `RECENT` newest nodes was changed, or null if there are fewer nodes. */
  readonly recent: Date | null;
  /** The share of the nodes that contain each frequent lexeme, at the server's last count. */
  readonly shares: ReadonlyMap<string, number>;
  readonly nodes: number;
}

export async function knowledgeStatistics(tx: Tx): Promise<KnowledgeStatistics> {
  const rows = await tx.$queryRaw<
    { recent: Date | null; lexemes: string[] | null; shares: number[] | null; nodes: number }[]
  >`
    select case when c.reltuples < ${COUNTED} then (select count(*) from knowledge_nodes) else c.reltuples end::float8 as nodes,
           (select updated_at from knowledge_nodes order by updated_at desc, id offset ${RECENT} limit 1) as recent,
           s.most_common_elems::text::text[] as lexemes, s.most_common_elem_freqs::float8[] as shares
    from pg_class c left join pg_stats s
      on s.schemaname = c.relnamespace::regnamespace::text and s.tablename = c.relname and s.attname = 'search'
    where c.oid = 'knowledge_nodes'::regclass`;
  const row = rows[0];
  return {
    recent: row?.recent ?? null,
    nodes: row?.nodes ?? 0,
    shares: new Map((row?.lexemes ?? []).map((lexeme, n) => [lexeme, row?.shares?.[n] ?? 0])),
  };
}

/** Returns the number of nodes that match a `tsquery`. */
export async function countMatching(tx: Tx, tsquery: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from knowledge_nodes where search @@ ${tsquery}::tsquery`;
  return rows[0]?.count ?? 0;
}

/**
 * Returns the best nodes first: exact ID, exact title, all words in the title, all words weighted by place, words that
 * begin with those of the question; then the newest.
 */
export async function searchKnowledge(
  tx: Tx,
  search: KnowledgeSearch,
  { recent }: KnowledgeStatistics,
  reader: KnowledgeReader,
): Promise<FoundKnowledge[]> {
  const ids = await candidates(tx, search, recent);
  return ids.length === 0 && search.idStart === null ? [] : rank(tx, ids, search, reader);
}

/** Returns IDs that include the best results. Age decides only if very many nodes match and no query finds the best. */
async function candidates(tx: Tx, search: KnowledgeSearch, recent: Date | null): Promise<readonly string[]> {
  const enough = search.limit + search.offset;
  const found = new Set<string>();
  for (const way of search.ways) {
    for (const id of await ofWay(tx, way, enough, recent)) found.add(id);
    if (found.size >= enough) break;
  }
  return [...found];
}

async function ofWay(
  tx: Tx,
  { match, rest, many, byScore, likely }: KnowledgeWay,
  enough: number,
  recent: Date | null,
): Promise<readonly string[]> {
  const bestOf = (questions: readonly string[], howMany: number): Promise<readonly string[]> =>
    idsOf(
      tx,
      sql`knowledge_best(${[...questions]}::text[]::tsquery[], ${rest}::tsquery, ${recent}::timestamptz, ${howMany}::int)`,
    );
  const howMany = Math.max(NEWEST, enough);
  const newestOf = async (questions: readonly string[]): Promise<readonly string[]> =>
    (await Promise.all(questions.map((question) => bestOf([question], howMany)))).flat();
  if (many === 'surely') return newestOf(likely);
  if (many === 'likely') {
    // The number of newest matches also shows whether these are all matches.
    const [newest, better] = await Promise.all([
      bestOf([match], Math.max(FEW + 1, howMany)),
      newestOf(likely.filter((question) => question !== match)),
    ]);
    return newest.length <= FEW ? newest : [...better, ...newest.slice(0, howMany)];
  }
  const some = await idsOf(tx, sql`knowledge_some(${match}::tsquery, ${rest}::tsquery, ${FEW + 1}::int)`);
  if (some.length <= FEW) return some;
  return byScore === null ? newestOf(likely) : bestOf(byScore, enough);
}

async function idsOf(tx: Tx, source: Sql): Promise<readonly string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`select id from ${source}`;
  return rows.map(({ id }) => id);
}

async function rank(
  tx: Tx,
  ids: readonly string[],
  search: KnowledgeSearch,
  reader: KnowledgeReader,
): Promise<FoundKnowledge[]> {
  const where = visible(search, reader);
  const held = search.held.map((tsquery) => sql`n.search @@ ${tsquery}::tsquery`);
  const byId = search.idStart === null ? sql`false` : idRange(search.idStart);
  const enough = search.limit + search.offset;
  const rows = await tx.$queryRaw<(HitRow & { held: boolean[] })[]>`
    with found as (
      select unnest(${[...ids]}::uuid[]) as id
      union (select n.id from knowledge_nodes n where ${byId} and ${where} limit ${enough})
      union (select n.id from knowledge_nodes n where n.title_key = ${search.titleKey} and ${where}
             order by n.updated_at desc, n.id limit ${enough})
    ), tiered as (
      select n.id, n.updated_at, case when ${byId} then 0 when n.title_key = ${search.titleKey} then 1
        when n.search @@ ${search.exactTitle}::tsquery then 2
        when n.search @@ ${search.exactAll}::tsquery then 3 else 4 end as tier
      from found join knowledge_nodes n using (id)
    ), best as (
      select t.*, case when t.tier < 3 then 0 when t.tier = 3 then ${scoreOf(search.exact)} else ${scoreOf(search.prefix)} end as score
      from tiered t join knowledge_nodes n using (id)
      order by tier, score desc, updated_at desc, id limit ${search.limit} offset ${search.offset}
    )
    select n.id, n.title, n.summary, n.projects, n.status, n.updated_at, n.path, n.tags, n.sources,
      array[${held.length === 0 ? sql`` : joinSql(held, ', ')}]::bool[] as held
    from best b join knowledge_nodes n using (id) order by b.tier, b.score desc, b.updated_at desc, b.id`;
  return rows.map(({ held: holds, ...row }) => ({ hit: toHit(row), held: holds }));
}

/** Returns the score of the words. Each word counts at its place with the highest weight. */
function scoreOf(words: readonly (readonly WeighedPlace[])[]): Sql {
  const each = words.map((places) => {
    const cases = places.map(({ tsquery, weight }) => sql`when n.search @@ ${tsquery}::tsquery then ${weight}::int`);
    return sql`case ${joinSql(cases, ' ')} else 0 end`;
  });
  return joinSql(each, ' + ');
}

/** Returns all IDs with this beginning as a range, so that the primary key finds them. */
function idRange(start: string): Sql {
  const digits = start.replaceAll('-', '');
  const uuid = (fill: string): string =>
    digits.padEnd(32, fill).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return sql`n.id between ${uuid('0')}::uuid and ${uuid('f')}::uuid`;
}

function visible(search: Partial<KnowledgeFilter>, reader: KnowledgeReader): Sql {
  const all: Sql[] = [sql`true`];
  if (reader !== null) all.push(sql`n.search @@ ${reader}::tsquery`);
  if (search.project !== undefined) all.push(sql`${search.project} = any(n.projects)`);
  if (search.type !== undefined) all.push(sql`${search.type} = any(n.types)`);
  if (search.status !== undefined) all.push(sql`n.status = ${search.status}`);
  return joinSql(all, ' and ');
}

export interface KnowledgeLinkRow {
  readonly relation: string;
  readonly id: string;
  /** The title; null if the node does not exist or the reader may not see it. */
  readonly title: string | null;
}

/** Returns a node's path and the targets of its links; null if the node does not exist or the reader may not see it. */
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

/** Returns everything that the reader may see, as a graph. */
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
