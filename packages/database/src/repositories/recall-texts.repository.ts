import { DocumentScope } from '@aish/contracts/memory-documents';
import { sql } from '../sql.js';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** A chunk of a text with its position and time. */
export interface NewText {
  readonly shelf: string;
  readonly sessionId: string | null;
  readonly documentId: string | null;
  readonly place: number;
  readonly part: number;
  readonly title: string;
  readonly content: string;
  readonly by: string;
  readonly at: Date;
}

/** A session with turns that are not split into chunks yet. `owner` is the name of a token. */
export interface SessionToCut {
  readonly id: string;
  readonly owner: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Lists such sessions and locks them until the transaction ends. It skips those that another process splits or writes
 * to.
 */
export function sessionsToCut(tx: Tx, limit: number): Promise<SessionToCut[]> {
  return tx.$queryRaw`
    select s.id, coalesce(c.owner, g.created_by) as owner, s.recalled_seq as from, s.turn_seq as to
    from sessions s left join chats c on c.session_id = s.id left join goals g on g.session_id = s.id
    where s.turn_seq > s.recalled_seq and coalesce(c.owner, g.created_by) is not null
    order by s.updated_at desc limit ${limit}::int for no key update of s skip locked`;
}

export interface TurnToCut {
  readonly seq: number;
  readonly role: string;
  readonly content: string;
  readonly at: Date;
}

/** Lists the turns of people and models. Output of commands and tools is not part of the memory. */
export function turnsToCut(tx: Tx, { id, from }: SessionToCut, to: number, maxChars: number): Promise<TurnToCut[]> {
  return tx.$queryRaw`
    select seq, role, left(content, ${maxChars}::int) as content, created_at as at from turns
    where session_id = ${id}::uuid and seq > ${from}::int and seq <= ${to}::int and role in ('user', 'assistant')
      and meta ->> 'tag' is distinct from 'summarize' order by seq`;
}

export async function markSessionCut(tx: Tx, id: string, to: number): Promise<void> {
  await tx.$executeRaw`update sessions set recalled_seq = ${to}::int where id = ${id}::uuid`;
}

export interface DocumentToCut {
  readonly id: string;
  readonly key: string;
  readonly content: Uint8Array;
  readonly version: number;
  readonly by: string;
  readonly at: Date;
}

/** Lists documents that are not split into chunks yet, like `sessionsToCut`. */
export function documentsToCut(tx: Tx, limit: number): Promise<DocumentToCut[]> {
  return tx.$queryRaw`
    select id, key, content, version, updated_by as by, updated_at as at from memory_documents
    where version > recalled_version order by updated_at desc limit ${limit}::int for no key update skip locked`;
}

export async function markDocumentCut(tx: Tx, id: string, version: number): Promise<void> {
  await tx.$executeRaw`update memory_documents set recalled_version = ${version}::int where id = ${id}::uuid`;
}

export interface DocumentText {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

export function textsOfDocument(tx: Tx, documentId: string): Promise<DocumentText[]> {
  return tx.$queryRaw`
    select id, title, content from recall_texts where document_id = ${documentId}::uuid order by place, part`;
}

/** Updates the positions of unchanged chunks, which keep their vectors. */
export async function moveTexts(
  tx: Tx,
  moved: readonly { readonly id: number; readonly place: number; readonly part: number }[],
): Promise<void> {
  await tx.$executeRaw`
    update recall_texts t set place = m.place, part = m.part
    from unnest(${moved.map(({ id }) => id)}::int[], ${moved.map(({ place }) => place)}::int[],
                ${moved.map(({ part }) => part)}::int[]) as m(id, place, part)
    where t.id = m.id and (t.place <> m.place or t.part <> m.part)`;
}

export async function removeTexts(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.$executeRaw`delete from recall_texts where id = any(${[...ids]}::int[])`;
}

export async function insertTexts(tx: Tx, texts: readonly NewText[]): Promise<void> {
  if (texts.length === 0) return;
  await tx.$executeRaw`
    insert into recall_texts (shelf, session_id, document_id, place, part, title, content, by, at)
    select shelf, "sessionId", "documentId", place, part, title, content, by, at
    from jsonb_to_recordset(${storableJson(texts)}::jsonb) as t(shelf text, "sessionId" uuid, "documentId" uuid, place int,
      part int, title text, content text, by text, at timestamptz)
    on conflict do nothing`;
}

/** The shelf of all nodes. The knowledge base decides who may see which node. */
export const NODES_SHELF = 'nodes';

/** A part of a node that can be found by itself. */
export interface NodePassage {
  readonly title: string;
  readonly content: string;
}

/** A node that is divided into parts, in order. Dates are in ISO format. */
export interface NodeTexts {
  readonly id: string;
  readonly by: string;
  readonly at: string;
  readonly passages: readonly NodePassage[];
}

/** Stores the current parts of these nodes. An unchanged part keeps its row and its vector. */
export async function putNodeTexts(tx: Tx, nodes: readonly NodeTexts[]): Promise<void> {
  if (nodes.length === 0) return;
  const parts = nodes.flatMap(({ id, by, at, passages }) =>
    passages.map(({ title, content }, part) => ({ id, by, at, part, title, content })),
  );
  const given = sql`jsonb_to_recordset(${storableJson(parts)}::jsonb)
    as g(id uuid, by text, at timestamptz, part int, title text, content text)`;
  await tx.$executeRaw`
    delete from recall_texts t where t.node_id = any(${nodes.map(({ id }) => id)}::uuid[]) and not exists (
      select from ${given} where g.id = t.node_id and g.title = t.title and g.content = t.content)`;
  await tx.$executeRaw`
    update recall_texts t set part = g.part, by = g.by, at = g.at from ${given}
    where t.node_id = g.id and t.title = g.title and t.content = g.content
      and (t.part, t.by, t.at) is distinct from (g.part, g.by, g.at)`;
  await tx.$executeRaw`
    insert into recall_texts (shelf, node_id, place, part, title, content, by, at)
    select ${NODES_SHELF}, g.id, 0, g.part, g.title, g.content, g.by, g.at from ${given}
    where not exists (
      select from recall_texts t where t.node_id = g.id and t.title = g.title and t.content = g.content)`;
}

export async function removeNodeTexts(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.$executeRaw`delete from recall_texts where node_id = any(${[...ids]}::uuid[])`;
}

/** Removes texts that belong to no node. Call this after all nodes were indexed again. */
export async function removeTextsOfNoNode(tx: Tx): Promise<void> {
  await tx.$executeRaw`
    delete from recall_texts t where t.node_id is not null and not exists (
      select from knowledge_nodes n where n.id = t.node_id)`;
}

/** A chunk that was found, and its source. */
export interface FoundText {
  readonly id: number;
  readonly shelf: string;
  readonly place: number;
  readonly title: string;
  readonly content: string;
  readonly by: string;
  readonly at: Date;
  readonly nodeId: string | null;
  readonly session: {
    readonly id: string;
    readonly number: number;
    readonly title: string;
    readonly goal: number | null;
  } | null;
  readonly document: { readonly scope: DocumentScope; readonly space: string | null } | null;
}

/** Returns chunks on these shelves, in any order. */
export async function findTexts(tx: Tx, ids: readonly number[], shelves: readonly string[]): Promise<FoundText[]> {
  if (ids.length === 0) return [];
  const rows = await tx.$queryRaw<
    (Omit<FoundText, 'session' | 'document'> & {
      session_id: string | null;
      session_number: number | null;
      session_title: string | null;
      goal: number | null;
      scope: string | null;
      space: string | null;
    })[]
  >`
    select t.id, t.shelf, t.place, t.title, t.content, t.by, t.at, t.node_id as "nodeId", s.id as session_id,
           s.number as session_number, s.title as session_title, g.number as goal, d.scope, d.space
    from recall_texts t left join sessions s on s.id = t.session_id left join goals g on g.session_id = s.id
      left join memory_documents d on d.id = t.document_id
    where t.id = any(${[...ids]}::int[]) and t.shelf = any(${[...shelves]}::text[])`;
  return rows.map(({ session_id, session_number, session_title, goal, scope, space, ...text }) => ({
    ...text,
    session:
      session_id === null ? null : { id: session_id, number: session_number ?? 0, title: session_title ?? '', goal },
    document: scope === null ? null : { scope: DocumentScope.parse(scope), space },
  }));
}

/** Lists the names of spaces with a document. */
export async function spacesWithDocuments(tx: Tx, limit: number): Promise<string[]> {
  const rows = await tx.$queryRaw<{ key: string }[]>`
    select key from memory_documents where scope = 'space' order by updated_at desc limit ${limit}::int`;
  return rows.map(({ key }) => key);
}
