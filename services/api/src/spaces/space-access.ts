import { AishError } from '@aish/contracts/problems';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { checkRole } from '@aish/contracts/space-roles';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import type { Scope } from '@aish/contracts/tokens';
import { findSpace } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';

/** Who asks, as the role in a space sees it. */
export interface Person {
  /** Of the token. */
  readonly name: string;
  /** Whose token it is: what spaces name. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  /** An app is bound to one space. */
  readonly app: { readonly space: string } | null;
}

/**
 * The requested space. Without a request: the own space of an app, else `general`.
 * @throws AishError `not_found`; `forbidden`
 */
export async function spaceFor(tx: Tx, person: Person, wanted?: string): Promise<Space> {
  const name = wanted ?? person.app?.space ?? DEFAULT_SPACE;
  // Of an app's own space there may be nothing but memory.
  const space = (await findSpace(tx, name)) ?? (name === person.app?.space ? emptySpace(name) : null);
  if (space === null) throw new AishError('not_found', `There is no space ${name}; an admin makes one: aish space set`);
  checkRole(space, person, 'use');
  return space;
}
