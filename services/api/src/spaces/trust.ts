import { AishError } from '@aish/contracts/problems';
import { checkRole } from '@aish/contracts/space-roles';
import type { Space } from '@aish/contracts/spaces';
import { allows } from '@aish/contracts/tokens';
import { limitTrust, type Trust } from '@aish/contracts/trust';
import type { Tx } from '@aish/database/tx';
import { spaceFor, type Person } from './space-access.js';

/**
 * Checks that a person may give this trust. Trust replaces verdicts, so only people who may give verdicts can give it,
 * up to the admin's limit. @throws AishError `trust_not_allowed`; `forbidden`
 */
export function checkTrust(asked: Trust | undefined, most: Trust, by: Person, space: Space): void {
  if (asked === undefined || asked === 'ask') return;
  if (limitTrust(most, asked) !== asked) {
    throw new AishError('trust_not_allowed', `The setting TRUST_MAX allows only trust ${most}`);
  }
  if (!allows(by.scopes, 'decide')) {
    throw new AishError(
      'forbidden',
      `Trust ${asked} lets commands run without a verdict, so it needs a token with scope decide`,
    );
  }
  checkRole(space, by, 'decide');
}

/** Like `checkTrust`, for existing work and by the name of its space. Only more trust needs a check. */
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
