import { DocumentScope } from '@aish/contracts/memory-documents';
import type { Tx } from '../tx.js';

/** Maximum number of entries of each kind. If more entries name a node, the node should stay unchanged. */
const FOUND_MAX = 500;

export interface NamingDocument {
  readonly key: string;
  readonly scope: DocumentScope;
  readonly space: string | null;
  readonly version: number;
  readonly content: string;
}

/** Returns active items of the owner that contain one of these IDs. */
export function itemsNaming(
  tx: Tx,
  owner: string,
  ids: readonly string[],
): Promise<{ readonly number: number; readonly content: string }[]> {
  return tx.$queryRaw`
    select number, content from memory_entries
    where owner = ${owner} and target is null and forgotten_by is null
      and content ilike any(${ids.map((id) => `%${id}%`)}::text[])
    order by number limit ${FOUND_MAX}::int`;
}

/** Returns documents that contain one of these IDs: the owner's own documents and those of the spaces. */
export async function documentsNaming(tx: Tx, owner: string, ids: readonly string[]): Promise<NamingDocument[]> {
  const rows = await tx.$queryRaw<
    { key: string; scope: string; space: string | null; version: number; content: Uint8Array }[]
  >`
    select key, scope, space, version, content from memory_documents
    where (scope = 'space' or scope = 'user' and owner = ${owner})
      and exists (select from unnest(${[...ids]}::text[]) as id
                  where position(convert_to(id, 'UTF8') in content) > 0
                     or position(convert_to(upper(id), 'UTF8') in content) > 0)
    order by key limit ${FOUND_MAX}::int`;
  return rows.map((row) => ({
    ...row,
    scope: DocumentScope.parse(row.scope),
    content: Buffer.from(row.content).toString('utf8'),
  }));
}
