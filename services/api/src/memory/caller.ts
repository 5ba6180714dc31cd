import type { MemoryCaller } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import { allows } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';

/**
 * Returns the owner of the memory that a token uses: a person or the token's app. Returns null for an app token that
 * names no app.
 */
export function memoryCallerOf(token: ApiTokenRow): MemoryCaller | null {
  if (token.app === null && !allows(token.scopes, 'observe')) return null;
  return { owner: token.owner, app: token.app };
}

/** Like `memoryCallerOf`. @throws AishError `forbidden` */
export function callerOf(token: ApiTokenRow): MemoryCaller {
  const caller = memoryCallerOf(token);
  if (caller !== null) return caller;
  throw new AishError(
    'forbidden',
    'This token is for an app, but it names no app. Create a token that names a space and an app',
  );
}

/** Like `callerOf`, for a token that writes. @throws AishError `forbidden` */
export function writerOf(token: ApiTokenRow): MemoryCaller {
  if (!allows(token.scopes, 'operate') && !allows(token.scopes, 'app')) {
    throw new AishError('forbidden', 'This request needs a token with scope operate or app', { needed: 'operate' });
  }
  return callerOf(token);
}
