import type { Database } from '../client.js';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** A node in the index. `search` is a `tsvector` literal. Dates are ISO. */
export interface KnowledgeNodeRow {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly titleKey: string;
  readonly summary: string;
  readonly types: readonly string[];
  readonly tags: readonly string[];
  readonly projects: readonly string[];
  readonly status: string;
  readonly visibility: string;
  readonly confidence: string;
  readonly createdBy: string;
  readonly created: string;
  readonly updated: string;
  readonly lastCurated: string | null;
  readonly sources: readonly string[];
  readonly search: string;
  readonly links: readonly { readonly relation: string; readonly id: string }[];
}

/**
 * Writes these nodes and their links, and replaces nodes with the same IDs or paths. Pass a few hundred nodes at a
 * time.
 */
export async function putKnowledgeNodes(tx: Tx, nodes: readonly KnowledgeNodeRow[]): Promise<void> {
  if (nodes.length === 0) return;
  await tx.$executeRaw`
    delete from knowledge_nodes
    where id = any(${nodes.map(({ id }) => id)}::uuid[]) or path = any(${nodes.map(({ path }) => path)}::text[])`;
  await tx.$executeRaw`
    insert into knowledge_nodes (id, path, title, title_key, summary, types, tags, projects, status, visibility,
      confidence, created_by, created_at, updated_at, last_curated, sources, search)
    select id, path, title, "titleKey", summary, types, tags, projects, status, visibility, confidence, "createdBy",
      created, updated, "lastCurated", sources, search::tsvector
    from jsonb_to_recordset(${storableJson(nodes)}::jsonb) as r(id uuid, path text, title text, "titleKey" text,
      summary text, types text[], tags text[], projects text[], status text, visibility text, confidence text,
      "createdBy" text, created timestamptz, updated timestamptz, "lastCurated" timestamptz, sources text[],
      search text)`;
  const links = nodes.flatMap((node) =>
    node.links.map(({ relation, id }) => ({ fromId: node.id, toId: id, relation })),
  );
  await tx.$executeRaw`
    insert into knowledge_links (from_id, to_id, relation)
    select "fromId", "toId", relation
    from jsonb_to_recordset(${storableJson(links)}::jsonb) as r("fromId" uuid, "toId" uuid, relation text)
    on conflict do nothing`;
}

/**
 * Removes the nodes at these paths.
 *
 * @returns their IDs.
 */
export async function removeKnowledgePaths(tx: Tx, paths: readonly string[]): Promise<string[]> {
  const rows = await tx.$queryRaw<{ id: string }[]>`
    delete from knowledge_nodes where path = any(${[...paths]}::text[]) returning id`;
  return rows.map(({ id }) => id);
}

export async function clearKnowledge(tx: Tx): Promise<void> {
  // The rows are deleted and not truncated, so that readers keep the old rows until the new ones are committed.
  await tx.$executeRaw`delete from knowledge_nodes`;
  await tx.$executeRaw`delete from knowledge_index`;
}

/** Returns the folder and commit that are indexed; null if nothing is. */
export async function knowledgeIndexState(tx: Tx): Promise<{ readonly dir: string; readonly commit: string } | null> {
  const rows = await tx.$queryRaw<
    { dir: string; commit: string }[]
  >`select dir, commit from knowledge_index where id = 1`;
  return rows[0] ?? null;
}

export async function setKnowledgeIndexState(tx: Tx, dir: string, commit: string): Promise<void> {
  await tx.$executeRaw`
    insert into knowledge_index (id, dir, commit, indexed_at) values (1, ${dir}, ${commit}, now())
    on conflict (id) do update set dir = excluded.dir, commit = excluded.commit, indexed_at = now()`;
}

/** Whether the knowledge base is indexed and has no nodes. */
export async function isKnowledgeEmpty(tx: Tx): Promise<boolean> {
  const rows = await tx.$queryRaw<{ is_empty: boolean }[]>`
    select exists (select 1 from knowledge_index) and not exists (select 1 from knowledge_nodes) as is_empty`;
  return rows[0]?.is_empty ?? false;
}

export async function countKnowledgeNodes(tx: Tx): Promise<number> {
  const rows = await tx.$queryRaw<{ count: bigint }[]>`select count(*) from knowledge_nodes`;
  return Number(rows[0]?.count ?? 0);
}

/** Counts the nodes created since the last curation of any node, and the active ones untouched for `days`. */
export async function countUncurated(
  tx: Tx,
  days: number,
): Promise<{ readonly added: number; readonly untouched: number }> {
  const rows = await tx.$queryRaw<{ added: bigint; untouched: bigint }[]>`
    select count(*) filter (where created_at > coalesce((select max(last_curated) from knowledge_nodes), '-infinity')) as added,
           count(*) filter (where status <> 'superseded'
             and greatest(updated_at, last_curated) < now() - ${days}::int * interval '1 day') as untouched
    from knowledge_nodes`;
  return { added: Number(rows[0]?.added ?? 0), untouched: Number(rows[0]?.untouched ?? 0) };
}

/**
 * Tidies the index. Call this after rows were written. `new` moves their words into the main index, because until then
 * each search reads a list of pending ones. `all` is for a rebuild: it also removes the old rows and updates the
 * planner's statistics. Do not call it in a transaction, because Postgres allows no vacuum there.
 */
export async function tidyKnowledge({ statements }: Pick<Database, 'statements'>, what: 'new' | 'all'): Promise<void> {
  if (what === 'all') {
    await statements.$executeRaw`vacuum (analyze) knowledge_nodes`;
    await statements.$executeRaw`vacuum (analyze) knowledge_links`;
    await statements.$executeRaw`vacuum (analyze) recall_texts`;
    return;
  }
  await statements.$executeRaw`select gin_clean_pending_list('knowledge_nodes_search_updated_at_idx'::regclass)`;
}
