import { EventBody, type SessionEvent } from '@aish/contracts/events';
import { invariant } from '@aish/contracts/invariant';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/**
 * Appends to the session's record of events, gapless, in the caller's transaction. The session's row is locked until
 * that ends, so two writers of one session take turns.
 * @returns the sequence number of the last event appended.
 */
export async function appendEvents(tx: Tx, sessionId: string, bodies: readonly EventBody[]): Promise<number> {
  return (await append(tx, sessionId, bodies)).last;
}

/** As `appendEvents`, and answers with the events as `listEvents` will. */
export async function recordEvents(tx: Tx, sessionId: string, bodies: readonly EventBody[]): Promise<SessionEvent[]> {
  if (bodies.length === 0) return [];
  const { last, at } = await append(tx, sessionId, bodies);
  return bodies.map((body, n) => ({ sessionId, seq: last - bodies.length + 1 + n, at: at.toISOString(), body }));
}

async function append(
  tx: Tx,
  sessionId: string,
  bodies: readonly EventBody[],
): Promise<{ readonly last: number; readonly at: Date }> {
  const payload = storableJson(bodies.map((body, n) => ({ n: n + 1, type: body.type, payload: body })));
  const rows = await tx.$queryRaw<{ event_seq: number; at: Date }[]>`
    with moved as (
      update sessions set event_seq = event_seq + ${bodies.length}::int, updated_at = now()
      where id = ${sessionId}::uuid returning id, event_seq
    ), happened as (
      insert into events (session_id, seq, type, payload)
      select moved.id, moved.event_seq - ${bodies.length}::int + e.n, e.type, e.payload
      from moved, jsonb_to_recordset(${payload}::jsonb) as e(n int, type text, payload jsonb)
    )
    select event_seq, now()::timestamptz(3) as at from moved`;
  const row = rows[0];
  invariant(row !== undefined, `events belong to a session, and there is no ${sessionId}`);
  return { last: row.event_seq, at: row.at };
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
