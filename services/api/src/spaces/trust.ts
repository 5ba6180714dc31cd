import { AishError } from '@aish/contracts/problems';
import { checkRole } from '@aish/contracts/space-roles';
import type { Space } from '@aish/contracts/spaces';
import { allows } from '@aish/contracts/tokens';
import { trustUpTo, type Trust } from '@aish/contracts/trust';
import type { Tx } from '@aish/database/tx';
import { spaceFor, type Person } from './space-access.js';

/**
 * Trust takes the place of verdicts: who gives it may give those, and an admin's ceiling stands above.
 * @throws AishError `trust_not_allowed`; `forbidden`
 */
export function checkTrust(asked: Trust | undefined, most: Trust, by: Person, space: Space): void {
  if (asked === undefined || asked === 'ask') return;
  if (trustUpTo(most, asked) !== asked) {
    throw new AishError('trust_not_allowed', `The setting TRUST_MAX allows no more than trust ${most} here`);
  }
  if (!allows(by.scopes, 'decide')) {
    throw new AishError(
      'forbidden',
      `Trust ${asked} takes the place of verdicts: it needs a token with the scope decide`,
    );
  }
  checkRole(space, by, 'decide');
}

/** The same of what is there already, by the name of its space. More trust alone needs to be looked at. */
export async function checkTrustIn(
  tx: Tx,
  asked: Trust | undefined,
  most: Trust,
  by: Person,
  space: string,
): Promise<void> {
  if (asked === undefined || asked === 'ask') return;
  checkTrust(asked, most, by, await spaceFor(tx, by, space));
}
