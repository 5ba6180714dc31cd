import { KnowledgeHit, type KnowledgeQuery } from '@aish/contracts/knowledge';
import type { KnowledgeNodeRow } from '../generated/rows.js';
import { joinSql, sql, type Sql } from '../sql.js';
import type { Tx } from '../tx.js';

/** What a reader may see, as a `tsquery`; null is everything. */
export type KnowledgeReader = string | null;

/** A search in the forms that Postgres takes without a parser of its own, a `tsquery` each. */
export interface KnowledgeSearch extends KnowledgeFilter {
  /** The ways to candidates, one after the other until there are enough. */
  readonly ways: readonly KnowledgeWay[];
  /** All the words, as they are, anywhere and in the title. */
  readonly exactAll: string;
  readonly exactTitle: string;
  /** Each word: where it may stand, from the place that counts most to the least. */
  readonly exact: readonly (readonly WeighedPlace[])[];
  /** The same of what begins with it. */
  readonly prefix: readonly (readonly WeighedPlace[])[];
  /** The words of the question, as titles keep theirs. */
  readonly titleKey: string;
  /** First digits of an id, if that is what was asked for. */
  readonly idStart: string | null;
  /** What is to be told of each node that is found: whether it holds this. */
  readonly held: readonly string[];
}

export interface FoundKnowledge {
  readonly hit: KnowledgeHit;
  /** Of what `held` asks for. */
  readonly held: readonly boolean[];
}

/** Nodes that the index finds by `match` and that hold `rest`, too. Filters are in it. */
export interface KnowledgeWay {
  readonly match: string;
  /** What is too frequent to be looked for in the index. */
  readonly rest: string | null;
  /** Whether there are too many to rank all: then nobody needs to look, or to wait for who looks. */
  readonly many: 'surely' | 'likely' | 'unknown';
  /** The same nodes, the best first, no node twice; null: no question says which these are. */
  readonly byScore: readonly string[] | null;
  /** Where there are too many to rank all and `byScore` is null: questions whose newest nodes are ranked. */
  readonly likely: readonly string[];
}

export interface WeighedPlace {
  readonly tsquery: string;
  readonly weight: number;
}

export type KnowledgeFilter = Pick<KnowledgeQuery, 'project' | 'type' | 'status' | 'limit' | 'offset'>;

/** So many matches are all ranked. */
const FEW = 200;
/** Of more, where no question finds the best ones, the newest so many are. */
const NEWEST = 100;
/** Of fewer the server may never have counted how many there are: they are counted. */
const COUNTED = 2_000;
/** What common words are looked for in first. */
const RECENT = 1_500;

type HitRow = Pick<
  KnowledgeNodeRow,
  'id' | 'title' | 'summary' | 'projects' | 'status' | 'updated_at' | 'path' | 'tags' | 'sources'
>;

/** All nodes that the reader may see, newest first. */
export async function listKnowledge(tx: Tx, filter: KnowledgeFilter, reader: KnowledgeReader): Promise<KnowledgeHit[]> {
  const rows = await tx.$queryRaw<HitRow[]>`
    select id, title, summary, projects, status, updated_at, path, tags, sources from knowledge_nodes n
    where ${visible(filter, reader)} order by updated_at desc, id limit ${filter.limit} offset ${filter.offset}`;
  return rows.map(toHit);
}

/** Those of these nodes that the filter lets through and the reader may see, in the order of the ids. */
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

/** What searches go by: it changes slowly, and who searches keeps it for a while. */
export interface KnowledgeStatistics {
  /** Since when the newest nodes were changed: `RECENT` of them, or null when there are no more. */
  readonly recent: Date | null;
  /** In which share of the nodes each frequent lexeme stands, as the server last counted. */
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

/** How many nodes a `tsquery` matches. */
export async function countMatching(tx: Tx, tsquery: string): Promise<number> {
  const rows = await tx.$queryRaw<{ count: number }[]>`
    select count(*)::int as count from knowledge_nodes where search @@ ${tsquery}::tsquery`;
  return rows[0]?.count ?? 0;
}

/**
 * The best nodes, best first: exact id, exact title, all words in the title, all words by where they stand, words that
 * begin so; then the newest.
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

/** Ids among which the best are. Only where very many nodes match and no question says which are best, age does. */
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
    // The newest that match tell, too, whether these are all.
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

/** What the words count, each where it counts most. */
function scoreOf(words: readonly (readonly WeighedPlace[])[]): Sql {
  const each = words.map((places) => {
    const cases = places.map(({ tsquery, weight }) => sql`when n.search @@ ${tsquery}::tsquery then ${weight}::int`);
    return sql`case ${joinSql(cases, ' ')} else 0 end`;
  });
  return joinSql(each, ' + ');
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
  if (reader !== null) all.push(sql`n.search @@ ${reader}::tsquery`);
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
