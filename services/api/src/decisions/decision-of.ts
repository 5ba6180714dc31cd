import type { Decision } from '@aish/contracts/decisions';
import { AishError } from '@aish/contracts/problems';
import { findDecision } from '@aish/database/decisions.repository';
import type { Tx } from '@aish/database/tx';

/** @param reference an id or a number. @throws AishError `not_found` */
export async function decisionOf(tx: Tx, reference: string): Promise<Decision> {
  const decision = await findDecision(tx, reference);
  if (decision === null) throw new AishError('not_found', `There is no decision ${reference}`);
  return decision;
}
