import type { Goal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { findGoal } from '@aish/database/goals.repository';
import type { Tx } from '@aish/database/tx';

/** @param reference an id or a number. @throws AishError `not_found` */
export async function goalOf(tx: Tx, reference: string): Promise<Goal> {
  const goal = await findGoal(tx, reference);
  if (goal === null) throw new AishError('not_found', `There is no goal ${reference}`);
  return goal;
}
