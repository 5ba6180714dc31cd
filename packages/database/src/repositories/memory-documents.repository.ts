import { invariant } from '@aish/contracts/invariant';
import type { DocumentArchive, DocumentHeading, DocumentInfo, DocumentScope } from '@aish/contracts/memory-documents';
import type { MemoryDocumentRow } from '../generated/rows.js';
import type { Tx } from '../tx.js';

export interface DocumentKey {
  readonly scope: DocumentScope;
  readonly owner: string | null;
  readonly space: string | null;
  readonly app: string | null;
  /** The whole key as one text, used for the document's row and its lock. */
  readonly key: string;
}

export type DocumentRow = Pick<MemoryDocumentRow, 'id' | 'version' | 'size_bytes' | 'lines'>;

export interface OutlineEntry extends DocumentHeading {
  /** The byte where the heading's line begins. */
  readonly offsetBytes: number;
}

export async function findDocument(tx: Tx, key: string): Promise<DocumentRow | null> {
  const rows = await tx.$queryRaw<DocumentRow[]>`
    select id, version, size_bytes, lines from memory_documents where key = ${key}`;
  return rows[0] ?? null;
}

/** Returns the whole document, or null. */
export async function readDocument(tx: Tx, key: string): Promise<(DocumentRow & { content: Uint8Array }) | null> {
  const rows = await tx.$queryRaw<(DocumentRow & { content: Uint8Array })[]>`
    select id, version, size_bytes, lines, content from memory_documents where key = ${key}`;
  return rows[0] ?? null;
}

/** Reads bytes of a document from `offset`. It does not read the rest. */
export async function readSlice(tx: Tx, id: string, offset: number, length: number): Promise<Uint8Array> {
  const rows = await tx.$queryRaw<{ slice: Uint8Array }[]>`
    select substring(content from ${offset + 1}::int for ${length}::int) as slice
    from memory_documents where id = ${id}::uuid`;
  return rows[0]?.slice ?? new Uint8Array();
}

/**
 * Writes a document and its outline, and creates the document if necessary. The caller must hold the document's lock.
 *
 * @returns the new version, from 1.
 */
export async function writeDocument(
  tx: Tx,
  input: {
    readonly id: string;
    readonly key: DocumentKey;
    readonly content: Uint8Array<ArrayBuffer>;
    readonly lines: number;
    readonly outline: readonly OutlineEntry[];
    readonly by: string;
  },
): Promise<{ readonly id: string; readonly version: number }> {
  const { key } = input;
  const rows = await tx.$queryRaw<{ id: string; version: number }[]>`
    insert into memory_documents (id, scope, owner, space, app, key, content, size_bytes, lines, version, updated_by)
    values (${input.id}::uuid, ${key.scope}, ${key.owner}, ${key.space}, ${key.app}, ${key.key}, ${input.content}::bytea,
            ${input.content.byteLength}::int, ${input.lines}::int, 1, ${input.by})
    on conflict (key) do update set content = excluded.content, size_bytes = excluded.size_bytes, lines = excluded.lines,
      version = memory_documents.version + 1, updated_at = now(), updated_by = excluded.updated_by
    returning id, version`;
  const row = rows[0];
  invariant(row !== undefined, 'an insert returns its row');
  await tx.$executeRaw`delete from memory_headings where document_id = ${row.id}::uuid`;
  const { outline } = input;
  if (outline.length > 0) {
    await tx.$executeRaw`
      insert into memory_headings (document_id, n, line, offset_bytes, depth, title)
      select ${row.id}::uuid, h.n, h.line, h.offset_bytes, h.depth, h.title
      from unnest(${outline.map((heading) => heading.line)}::int[], ${outline.map((heading) => heading.offsetBytes)}::int[],
                  ${outline.map((heading) => heading.depth)}::int[], ${outline.map((heading) => heading.title)}::text[])
             with ordinality as h(line, offset_bytes, depth, title, n)`;
  }
  return row;
}

/** Creates an empty document, version 0, if it does not exist. */
export async function ensureDocument(tx: Tx, id: string, key: DocumentKey, by: string): Promise<string> {
  await tx.$executeRaw`
    insert into memory_documents (id, scope, owner, space, app, key, content, size_bytes, lines, version, updated_by)
    values (${id}::uuid, ${key.scope}, ${key.owner}, ${key.space}, ${key.app}, ${key.key}, ''::bytea, 0, 0, 0, ${by})
    on conflict do nothing`;
  const rows = await tx.$queryRaw<{ id: string }[]>`select id from memory_documents where key = ${key.key}`;
  return rows[0]?.id ?? id;
}

/**
 * Returns the outline, in order. It is one value, because reading thousands of rows would take longer than finding
 * them.
 */
export async function listHeadings(tx: Tx, id: string): Promise<OutlineEntry[]> {
  const rows = await tx.$queryRaw<{ outline: string }[]>`
    select coalesce(json_agg(json_build_array(line, offset_bytes, depth, title) order by n), '[]')::text as outline
    from memory_headings where document_id = ${id}::uuid`;
  // The query above guarantees the types of these columns. Validating thousands of entries would take even longer.
  const outline = JSON.parse(rows[0]?.outline ?? '[]') as [number, number, number, string][];
  return outline.map(([line, offsetBytes, depth, title]) => ({ line, offsetBytes, depth, title }));
}

/** A heading found by its title, and where its section ends; null if it ends with the document. */
export interface FoundHeading extends OutlineEntry {
  readonly to: number | null;
}

/** Returns the headings with exactly this title, ignoring case, in order; at most 50. */
export async function findHeadings(tx: Tx, id: string, title: string): Promise<FoundHeading[]> {
  return tx.$queryRaw<FoundHeading[]>`
    select h.line, h.offset_bytes as "offsetBytes", h.depth, h.title,
           (select next.offset_bytes from memory_headings next
            where next.document_id = h.document_id and next.n > h.n and next.depth <= h.depth
            order by next.n limit 1) as "to"
    from memory_headings h where h.document_id = ${id}::uuid and lower(h.title) = lower(${title})
    order by h.n limit 50`;
}

/**
 * Stores bytes under a path.
 *
 * @returns false if the path is taken.
 */
export async function insertArchive(
  tx: Tx,
  input: {
    readonly documentId: string;
    readonly path: string;
    readonly content: Uint8Array<ArrayBuffer>;
    readonly reason: DocumentArchive['reason'];
    readonly version: number | null;
  },
): Promise<boolean> {
  const changed = await tx.$executeRaw`
    insert into memory_archives (document_id, path, content, size_bytes, reason, version)
    values (${input.documentId}::uuid, ${input.path}, ${input.content}::bytea, ${input.content.byteLength}::int,
            ${input.reason}, ${input.version}::int)
    on conflict do nothing`;
  return changed === 1;
}

/**
 * Replaces the log of a session under its existing path.
 *
 * @returns the path; null if there is no log yet.
 */
export async function rewriteSessionLog(
  tx: Tx,
  documentId: string,
  slug: string,
  content: Uint8Array<ArrayBuffer>,
): Promise<string | null> {
  const rows = await tx.$queryRaw<{ path: string }[]>`
    update memory_archives set content = ${content}::bytea, size_bytes = ${content.byteLength}::int, at = now()
    where document_id = ${documentId}::uuid and reason = 'session'
      and path like ${`memory/____-__-__-____-${slug}`}
    returning path`;
  return rows[0]?.path ?? null;
}

/** Deletes all session logs except the newest `kept`. Archives made by a person are kept. */
export async function forgetSessionLogs(tx: Tx, documentId: string, kept: number): Promise<void> {
  await tx.$executeRaw`
    delete from memory_archives where document_id = ${documentId}::uuid and path in
      (select path from memory_archives
       where document_id = ${documentId}::uuid and reason = 'session' and path ~ '-run-[cg][0-9]+$'
       order by at desc, path offset ${kept}::int)`;
}

/** Deletes all replaced texts except the newest `kept`. */
export async function forgetReplaced(tx: Tx, documentId: string, kept: number): Promise<void> {
  await tx.$executeRaw`
    delete from memory_archives where document_id = ${documentId}::uuid and reason = 'replaced' and version <=
      (select version from memory_archives where document_id = ${documentId}::uuid and reason = 'replaced'
       order by version desc offset ${kept}::int limit 1)`;
}

/** Returns the archive of this version of a document, or null. */
export async function archiveOfVersion(tx: Tx, documentId: string, version: number): Promise<string | null> {
  const rows = await tx.$queryRaw<{ path: string }[]>`
    select path from memory_archives
    where document_id = ${documentId}::uuid and reason = 'compaction' and version = ${version}::int limit 1`;
  return rows[0]?.path ?? null;
}

export async function readArchive(tx: Tx, documentId: string, path: string): Promise<Uint8Array | null> {
  const rows = await tx.$queryRaw<{ content: Uint8Array }[]>`
    select content from memory_archives where document_id = ${documentId}::uuid and path = ${path}`;
  return rows[0]?.content ?? null;
}

const ARCHIVES_LISTED = 100;

/** Describes these documents, in the order of `keys`. */
export async function describeDocuments(tx: Tx, keys: readonly string[]): Promise<Omit<DocumentInfo, 'wholeTokens'>[]> {
  const rows = await tx.$queryRaw<
    {
      scope: DocumentScope;
      space: string | null;
      app: string | null;
      version: number;
      size_bytes: number;
      updated_at: Date;
      updated_by: string;
      archives: { path: string; size_bytes: number; reason: DocumentArchive['reason']; at: string }[];
    }[]
  >`
    select d.scope, d.space, d.app, d.version, d.size_bytes, d.updated_at, d.updated_by,
           coalesce((select jsonb_agg(jsonb_build_object('path', a.path, 'size_bytes', a.size_bytes, 'reason', a.reason,
                                                          'at', a.at) order by a.at desc, a.path desc)
                     from (select a.path, a.size_bytes, a.reason, a.at from memory_archives a where a.document_id = d.id
                           order by a.at desc, a.path desc limit ${ARCHIVES_LISTED}::int) a), '[]') as archives
    from unnest(${[...keys]}::text[]) with ordinality as k(key, n) join memory_documents d using (key) order by k.n`;
  return rows.map((row) => ({
    scope: row.scope,
    space: row.space,
    app: row.app,
    version: row.version,
    sizeBytes: row.size_bytes,
    updatedAt: row.updated_at.toISOString(),
    updatedBy: row.updated_by,
    archives: row.archives.map((archive) => ({
      path: archive.path,
      sizeBytes: archive.size_bytes,
      reason: archive.reason,
      at: new Date(archive.at).toISOString(),
    })),
  }));
}

/** Lists documents larger than `sizeBytes`. */
export async function listLargeDocuments(tx: Tx, sizeBytes: number, limit: number): Promise<DocumentKey[]> {
  return tx.$queryRaw<DocumentKey[]>`
    select scope, owner, space, app, key from memory_documents where size_bytes > ${sizeBytes}::int
    order by key limit ${limit}::int`;
}
