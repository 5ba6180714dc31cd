import type { Session } from '@aish/contracts/chat';
import type { Decision } from '@aish/contracts/decisions';
import type { Goal } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import { findDecision } from '@aish/database/decisions.repository';
import { findGoal } from '@aish/database/goals.repository';
import { findSession } from '@aish/database/sessions.repository';
import type { Tx } from '@aish/database/tx';

/** @param reference an ID or a number. @throws AishError `not_found` */
export async function decisionOf(tx: Tx, reference: string): Promise<Decision> {
  return found(await findDecision(tx, reference), `decision ${reference}`);
}

/** @param reference an ID or a number. @throws AishError `not_found` */
export async function goalOf(tx: Tx, reference: string): Promise<Goal> {
  return found(await findGoal(tx, reference), `goal ${reference}`);
}

/** @param reference an ID or a number. @throws AishError `not_found` */
export async function sessionOf(tx: Tx, reference: string): Promise<Session> {
  return found(await findSession(tx, reference), `session ${reference}`);
}

function found<T>(row: T | null, what: string): T {
  if (row === null) throw new AishError('not_found', `There is no ${what}`);
  return row;
}
