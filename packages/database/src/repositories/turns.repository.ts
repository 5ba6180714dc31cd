import { invariant } from '@aish/contracts/invariant';
import { Turn, type TurnMeta, type TurnRole } from '@aish/contracts/sessions';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/** Appends one turn to the session's record. The record is never rewritten. */
export async function appendTurn(
  tx: Tx,
  sessionId: string,
  role: TurnRole,
  content: string,
  meta?: TurnMeta,
): Promise<Turn> {
  const [turn] = await appendTurns(tx, sessionId, [{ role, content, ...(meta === undefined ? {} : { meta }) }]);
  invariant(turn !== undefined, 'one turn in, one turn out');
  return turn;
}

/** Appends turns in order. */
export async function appendTurns(tx: Tx, sessionId: string, turns: readonly Omit<Turn, 'seq'>[]): Promise<Turn[]> {
  if (turns.length === 0) return [];
  const said = storableJson(turns.map((turn, at) => ({ ...turn, n: at + 1 })));
  const rows = await tx.$queryRaw<{ turn_seq: number }[]>`
    with moved as (
      update sessions set turn_seq = turn_seq + ${turns.length}::int, updated_at = now()
      where id = ${sessionId}::uuid returning id, turn_seq
    ), said as (
      insert into turns (session_id, seq, role, content, meta)
      select moved.id, moved.turn_seq - ${turns.length}::int + t.n, t.role, t.content, t.meta
      from moved, jsonb_to_recordset(${said}::jsonb) as t(n int, role text, content text, meta jsonb)
    )
    select turn_seq from moved`;
  const last = rows[0]?.turn_seq;
  invariant(last !== undefined, `turns belong to a session, and there is no ${sessionId}`);
  return turns.map((turn, at): Turn => ({ ...turn, seq: last - turns.length + 1 + at }));
}

/** All turns of a session, in order; without what `summarize` had the model say, which is for nobody to read back. */
export async function listTurns(tx: Tx, sessionId: string): Promise<Turn[]> {
  const rows = await tx.$queryRaw<{ seq: number; role: string; content: string; meta: unknown }[]>`
    select seq, role, content, meta from turns
    where session_id = ${sessionId}::uuid and (meta is null or meta ->> 'tag' is distinct from 'summarize')
    order by seq`;
  return rows.map(({ meta, ...row }) => Turn.parse(meta === null ? row : { ...row, meta }));
}
