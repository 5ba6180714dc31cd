import type { MemoryCaller } from '@aish/contracts/memory';
import { AishError } from '@aish/contracts/problems';
import { allows } from '@aish/contracts/tokens';
import type { ApiTokenRow } from '@aish/database/tokens.repository';

/** Whose memory a token reaches: a person's, or that of the app which it is bound to. Null: an app's, bound to none. */
export function reachOf(token: ApiTokenRow): MemoryCaller | null {
  if (token.app === null && !allows(token.scopes, 'observe')) return null;
  return { owner: token.owner, app: token.app };
}

/** The same. @throws AishError `forbidden` */
export function callerOf(token: ApiTokenRow): MemoryCaller {
  const caller = reachOf(token);
  if (caller !== null) return caller;
  throw new AishError(
    'forbidden',
    'This token is for an app, but it is bound to none: make one with a space and an app',
  );
}

/** The same for a token that is to write. @throws AishError `forbidden` */
export function writerOf(token: ApiTokenRow): MemoryCaller {
  if (!allows(token.scopes, 'operate') && !allows(token.scopes, 'app')) {
    throw new AishError('forbidden', 'This needs a token with scope operate or app', { needed: 'operate' });
  }
  return callerOf(token);
}
