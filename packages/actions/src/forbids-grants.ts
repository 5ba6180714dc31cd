import { approversFor } from '@aish/contracts/approvals';
import type { Classification } from '@aish/contracts/safety';
import { findSpaceOf } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';

/**
 * Whether the space of a session requires several people, or a person other than the author, to approve this
 * classification. Then no grant counts.
 */
export async function forbidsGrants(tx: Tx, sessionId: string, classification: Classification): Promise<boolean> {
  const space = await findSpaceOf(tx, 'sessions', sessionId);
  const { people, notAuthor } = approversFor(space?.approvals ?? [], classification);
  return people > 1 || notAuthor;
}
