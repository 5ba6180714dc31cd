import type { Session } from '@aish/contracts/chat';
import { AishError } from '@aish/contracts/problems';
import { findSession } from '@aish/database/sessions.repository';
import type { Tx } from '@aish/database/tx';

/** @param reference an id or a number. @throws AishError `not_found` */
export async function sessionOf(tx: Tx, reference: string): Promise<Session> {
  const session = await findSession(tx, reference);
  if (session === null) throw new AishError('not_found', `There is no session ${reference}`);
  return session;
}
