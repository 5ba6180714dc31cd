import type { KnowledgePlan } from '@aish/contracts/knowledge-upkeep';
import type { MemoryCaller } from '@aish/contracts/memory';
import { isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { documentsNaming, itemsNaming, type NamingDocument } from '@aish/database/memory-pointers.repository';
import { repointPointers } from '@aish/knowledge';
import { MemoryDocuments, MemoryItems } from '@aish/memory';

/**
 * Finds pointers in a person's memory to nodes that a plan removes: in items, in the person's document, and in
 * documents of spaces. With `rewrite`, every pointer `kb: Title (UUID)` is changed to the replacement. The call can be
 * repeated safely.
 */
export async function memoryPointers(
  db: Database,
  owner: string,
  moves: KnowledgePlan['moves'],
  { rewrite }: { readonly rewrite: boolean },
): Promise<KnowledgePlan['pointers']> {
  const ids = moves.map(({ id }) => id);
  if (ids.length === 0) return [];
  const found: KnowledgePlan['pointers'] = [];
  for (const { number, content } of await itemsNaming(db.statements, owner, ids)) {
    const text = repointed(content, moves);
    if (rewrite && text !== content) await rewriteItem(db, owner, number, text);
    found.push({ where: `item ${number} of memory`, rewritten: !names(text, ids) });
  }
  for (const document of await documentsNaming(db.statements, owner, ids)) {
    const text = repointed(document.content, moves);
    if (rewrite && text !== document.content) await rewriteDocument(db, owner, document, text);
    found.push({ where: `memory document ${document.key}`, rewritten: !names(text, ids) });
  }
  return found;
}

async function rewriteItem(db: Database, owner: string, number: number, content: string): Promise<void> {
  await new MemoryItems(db).edit(owner, number, { content, by: owner }).catch((error: unknown) => {
    if (!isAishError(error, 'not_found')) throw error; // the item was forgotten in the meantime
  });
}

async function rewriteDocument(
  db: Database,
  owner: string,
  { scope, space, version }: NamingDocument,
  content: string,
): Promise<void> {
  const caller: MemoryCaller = { owner, app: null };
  const where = space === null ? {} : { space };
  await new MemoryDocuments(db).write(
    caller,
    scope,
    { mode: 'replace', content, expectedVersion: version, ...where },
    { keepsOld: true },
  );
}

function repointed(text: string, moves: KnowledgePlan['moves']): string {
  return moves.reduce(
    (next, { id, to, title }) =>
      to === null ? next : repointPointers(next, new Set([id]), { id: to, title: title ?? '' }),
    text,
  );
}

function names(text: string, ids: readonly string[]): boolean {
  return ids.some((id) => text.toLowerCase().includes(id));
}
