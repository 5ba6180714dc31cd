import type { MemoryCaller } from '@aish/contracts/memory';
import type { DocumentScope } from '@aish/contracts/memory-documents';
import { AishError } from '@aish/contracts/problems';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import type { DocumentKey } from '@aish/database/memory-documents.repository';

/**
 * Returns the key of the document that a caller means by a scope. Everything except the name of a space comes from the
 * caller, and an app has only one space, so no arguments can reach a document of another app or person.
 *
 * @param space chosen by a person. An app may omit it or name its own.
 * @throws AishError `forbidden`
 */
export function documentKey(caller: MemoryCaller, scope: DocumentScope, space?: string): DocumentKey {
  const own = caller.app?.space;
  if (own !== undefined && space !== undefined && space !== own) {
    throw new AishError('forbidden', `App ${caller.app?.name ?? ''} is bound to the space ${own}`);
  }
  const name = own ?? space ?? caller.space ?? DEFAULT_SPACE;
  switch (scope) {
    case 'user':
      return { scope, owner: caller.owner, space: null, app: null, key: `user/${caller.owner}` };
    case 'space':
      return { scope, owner: null, space: name, app: null, key: `space/${name}` };
    case 'app':
      if (caller.app === null) throw new AishError('forbidden', 'Only the app itself can use its memory');
      return { scope, owner: null, space: name, app: caller.app.name, key: `app/${name}/${caller.app.name}` };
  }
}
