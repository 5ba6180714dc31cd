import { EventBody, SessionEvent } from '@aish/contracts';
import type { Tx } from '../client.js';
import { storableJson } from './storable.js';

/**
 * Appends to the session's record of events, gapless, in the caller's transaction. The session's row is locked until
 * that ends, so two writers of one session take turns.
 * @returns the sequence number of the last event appended.
 */
export async function appendEvents(tx: Tx, sessionId: string, bodies: readonly EventBody[]): Promise<number> {
  const rows = await tx.$queryRaw<{ event_seq: number }[]>`
    update sessions set event_seq = event_seq + ${bodies.length}::int, updated_at = now()
    where id = ${sessionId}::uuid returning event_seq`;
  const last = rows[0]?.event_seq;
  if (last === undefined) throw new Error(`appendEvents: no session ${sessionId}`);
  const first = last - bodies.length + 1;
  const payload = storableJson(bodies.map((body, n) => ({ seq: first + n, type: body.type, payload: body })));
  await tx.$executeRaw`
    insert into events (session_id, seq, type, payload)
    select ${sessionId}::uuid, e.seq, e.type, e.payload
    from jsonb_to_recordset(${payload}::jsonb) as e(seq int, type text, payload jsonb)`;
  return last;
}

/** Events after `afterSeq`, in order, at most `limit`. */
export async function listEvents(tx: Tx, sessionId: string, afterSeq: number, limit: number): Promise<SessionEvent[]> {
  const rows = await tx.$queryRaw<{ seq: number; payload: unknown; at: Date }[]>`
    select seq, payload, at from events
    where session_id = ${sessionId}::uuid and seq > ${afterSeq}::int order by seq limit ${limit}::int`;
  return rows.map((row) => ({ sessionId, seq: row.seq, at: row.at.toISOString(), body: EventBody.parse(row.payload) }));
}

/** The newest sequence number of a session, or null when there is no such session. */
export async function lastEventSeq(tx: Tx, sessionId: string): Promise<number | null> {
  const rows = await tx.$queryRaw<{ event_seq: number }[]>`
    select event_seq from sessions where id = ${sessionId}::uuid`;
  return rows[0]?.event_seq ?? null;
}
