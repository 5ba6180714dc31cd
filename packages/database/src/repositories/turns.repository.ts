import { Turn, TurnRole } from '@aish/contracts';
import type { Tx } from '../client.js';
import { storable } from './storable.js';

/** Appends one turn to the session's record. The record is never rewritten. */
export async function appendTurn(tx: Tx, sessionId: string, role: TurnRole, content: string): Promise<Turn> {
  const rows = await tx.$queryRaw<{ turn_seq: number }[]>`
    update sessions set turn_seq = turn_seq + 1, updated_at = now() where id = ${sessionId}::uuid returning turn_seq`;
  const seq = rows[0]?.turn_seq;
  if (seq === undefined) throw new Error(`appendTurn: no session ${sessionId}`);
  await tx.$executeRaw`
    insert into turns (session_id, seq, role, content) values (${sessionId}::uuid, ${seq}::int, ${role}, ${storable(content)})`;
  return { seq, role, content };
}

/** All turns of a session, in order. */
export async function listTurns(tx: Tx, sessionId: string): Promise<Turn[]> {
  const rows = await tx.$queryRaw<{ seq: number; role: string; content: string }[]>`
    select seq, role, content from turns where session_id = ${sessionId}::uuid order by seq`;
  return rows.map((row) => Turn.parse(row));
}
