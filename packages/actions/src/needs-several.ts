import { approversFor } from '@aish/contracts/approvals';
import type { Classification } from '@aish/contracts/safety';
import { findSpaceOf } from '@aish/database/spaces.repository';
import type { Tx } from '@aish/database/tx';

/** Whether the space of a session wants more than one person to let run what is judged so. */
export async function needsSeveral(tx: Tx, sessionId: string, classification: Classification): Promise<boolean> {
  const space = await findSpaceOf(tx, 'sessions', sessionId);
  return approversFor(space?.approvals ?? [], classification).people > 1;
}
