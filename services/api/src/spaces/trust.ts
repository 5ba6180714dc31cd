import { AishError } from '@aish/contracts/problems';
import type { Space } from '@aish/contracts/spaces';
import { allows } from '@aish/contracts/tokens';
import { trustUpTo, type Trust } from '@aish/contracts/trust';
import { checkRole, type Person } from './space-access.js';

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
