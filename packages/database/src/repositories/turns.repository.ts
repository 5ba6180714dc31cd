import { invariant } from '@aish/contracts/invariant';
import { Turn, type NewTurn } from '@aish/contracts/sessions';
import type { TurnRow as Row } from '../generated/rows.js';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

export async function appendTurn(tx: Tx, sessionId: string, newTurn: NewTurn): Promise<Turn> {
  const [turn] = await appendTurns(tx, sessionId, [newTurn]);
  invariant(turn !== undefined, 'one turn in, one turn out');
  return turn;
}

/** Appends turns in order to the session. Existing turns are never changed. */
export async function appendTurns(tx: Tx, sessionId: string, turns: readonly NewTurn[]): Promise<Turn[]> {
  if (turns.length === 0) return [];
  const rowsJson = storableJson(turns.map((turn, at) => ({ ...turn, n: at + 1 })));
  const rows = await tx.$queryRaw<{ turn_seq: number }[]>`
    with moved as (
      update sessions set turn_seq = turn_seq + ${turns.length}::int, updated_at = now()
      where id = ${sessionId}::uuid returning id, turn_seq
    ), added as (
      insert into turns (session_id, seq, role, provenance, content, parts, meta)
      select moved.id, moved.turn_seq - ${turns.length}::int + t.n, t.role, t.provenance, t.content, t.parts, t.meta
      from moved, jsonb_to_recordset(${rowsJson}::jsonb)
        as t(n int, role text, provenance text, content text, parts jsonb, meta jsonb)
    )
    select turn_seq from moved`;
  const last = rows[0]?.turn_seq;
  invariant(last !== undefined, `turns belong to a session, and there is no ${sessionId}`);
  return turns.map((turn, at): Turn => ({ ...turn, seq: last - turns.length + 1 + at }));
}

/** Lists all turns of a session, in order, without the answers to `summarize`, which nobody reads again. */
export async function listTurns(tx: Tx, sessionId: string): Promise<Turn[]> {
  const rows = await tx.$queryRaw<TurnRow[]>`
    select seq, role, provenance, content, parts, meta from turns
    where session_id = ${sessionId}::uuid and (meta is null or meta ->> 'tag' is distinct from 'summarize')
    order by seq`;
  return rows.map(toTurn);
}

/**
 * Lists the turns of a session with a person's words, in order. It never reads the text of the model and its commands.
 */
export async function listTurnsOfPeople(tx: Tx, sessionId: string): Promise<Turn[]> {
  const rows = await tx.$queryRaw<TurnRow[]>`
    select seq, role, provenance, content, parts, meta from turns
    where session_id = ${sessionId}::uuid and (provenance = 'person' or parts is not null)
    order by seq`;
  return rows.map(toTurn);
}

export function toTurn({ parts, meta, ...row }: TurnRow): Turn {
  return Turn.parse({ ...row, ...(parts === null ? {} : { parts }), ...(meta === null ? {} : { meta }) });
}

export type TurnRow = Pick<Row, 'seq' | 'role' | 'provenance' | 'content' | 'parts' | 'meta'>;
