import { AishError } from '@aish/contracts/problems';
import { DEFAULT_SPACE } from '@aish/contracts/space-name';
import { checkRole } from '@aish/contracts/space-roles';
import { emptySpace, type Space } from '@aish/contracts/spaces';
import type { Scope } from '@aish/contracts/tokens';
import { findSpace } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';

/** The caller, as the rules of spaces see it. */
export interface Person {
  /** The name of the token. */
  readonly name: string;
  /** The owner of the token, by the name that spaces use for people. */
  readonly owner: string;
  readonly scopes: readonly Scope[];
  /** The app of the token, which is limited to one space. */
  readonly app: { readonly space: string } | null;
}

/**
 * Returns the requested space. Without a request it is the app's own space, or else `general`. @throws AishError
 * `not_found`; `forbidden`
 */
export async function spaceFor(tx: Tx, person: Person, wanted?: string): Promise<Space> {
  const name = wanted ?? person.app?.space ?? DEFAULT_SPACE;
  // An app's own space may contain nothing but memory.
  const space = (await findSpace(tx, name)) ?? (name === person.app?.space ? emptySpace(name) : null);
  if (space === null)
    throw new AishError('not_found', `There is no space ${name}. An admin can create it: aish space set`);
  checkRole(space, person, 'use');
  return space;
}
