import type { MemoryCaller } from '@aish/contracts/memory';
import type { Database } from '@aish/database/client';
import { spacesWithDocuments } from '@aish/database/recall-texts.repository';
import { documentKey } from '../document-key.js';
import { scopesFor } from '../permissions.js';

/** A person may read the documents of all spaces; of so many, those that were written to last. */
const SPACES_MAX = 30;

/** What was said in the sessions of a person, or of an app. */
export function saidBy({ owner, app }: MemoryCaller): string {
  return app === null ? `said/person/${owner}` : `said/app/${app.space}/${app.name}`;
}

export function ofDocument(key: string): string {
  return `document/${key}`;
}

/** Documents that somebody may read: as the permissions of documents say. */
export async function readableDocuments(db: Pick<Database, 'statements'>, caller: MemoryCaller): Promise<string[]> {
  const own = scopesFor(caller, 'read').map((scope) => documentKey(caller, scope).key);
  const spaces = caller.app === null ? await spacesWithDocuments(db.statements, SPACES_MAX) : [];
  return [...new Set([...own, ...spaces])].map(ofDocument);
}
