import { EventBody, type SessionEvent } from '@aish/contracts/events';
import type { GoalMessage } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import type { Tx } from '../tx.js';
import { storableJson } from './storable.js';

/**
 * Appends events to a session without gaps, in the caller's transaction. The session's row stays locked until the
 * transaction ends, so two writers of one session take turns.
 *
 * @returns the sequence number of the last event.
 */
export async function appendEvents(tx: Tx, sessionId: string, bodies: readonly EventBody[]): Promise<number> {
  return (await append(tx, sessionId, bodies)).last;
}

/** Appends events like `appendEvents`, and returns them as `listEvents` does. */
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

/** Lists events after `afterSeq`, in order, at most `limit`. */
export async function listEvents(tx: Tx, sessionId: string, afterSeq: number, limit: number): Promise<SessionEvent[]> {
  const rows = await tx.$queryRaw<{ seq: number; payload: unknown; at: Date }[]>`
    select seq, payload, at from events
    where session_id = ${sessionId}::uuid and seq > ${afterSeq}::int order by seq limit ${limit}::int`;
  return rows.map((row) => ({ sessionId, seq: row.seq, at: row.at.toISOString(), body: EventBody.parse(row.payload) }));
}

/** Lists messages of people to a goal that its model has not read yet, oldest first. */
export async function listUnheard(
  tx: Tx,
  sessionId: string,
): Promise<{ readonly seq: number; readonly text: string }[]> {
  return tx.$queryRaw<{ seq: number; text: string }[]>`
    select seq, payload ->> 'text' as text from events
    where session_id = ${sessionId}::uuid and type = 'goal.said' and seq > coalesce((
      select max((payload ->> 'said')::int) from events where session_id = ${sessionId}::uuid and type = 'goal.heard'
    ), 0) order by seq`;
}

/** Lists what people and aish told the model of a goal, oldest first. */
export async function listGoalMessages(tx: Tx, sessionId: string): Promise<GoalMessage[]> {
  const rows = await tx.$queryRaw<{ by: string | null; text: string; at: Date; readAt: Date | null }[]>`
    select e.payload ->> 'by' as by, e.payload ->> 'text' as text, e.at, (
      select min(h.at) from events h where h.session_id = e.session_id and h.type = 'goal.heard'
        and e.type = 'goal.said' and (h.payload ->> 'said')::int >= e.seq
    ) as "readAt"
    from events e where e.session_id = ${sessionId}::uuid and e.type in ('goal.said', 'goal.noticed') order by e.seq`;
  return rows.map(({ at, readAt, ...message }) => ({
    ...message,
    at: at.toISOString(),
    readAt: readAt === null ? null : readAt.toISOString(),
  }));
}

/** Lists the commands that people ran in a session, oldest first. */
export async function listOwnCommands(
  tx: Tx,
  sessionId: string,
): Promise<{ readonly id: string; readonly command: string }[]> {
  return tx.$queryRaw<{ id: string; command: string }[]>`
    select payload ->> 'commandId' as id, payload ->> 'command' as command from events
    where session_id = ${sessionId}::uuid and type = 'command.started' order by seq`;
}

/** Returns the newest sequence number of a session, or null if the session does not exist. */
export async function lastEventSeq(tx: Tx, sessionId: string): Promise<number | null> {
  const rows = await tx.$queryRaw<{ event_seq: number }[]>`
    select event_seq from sessions where id = ${sessionId}::uuid`;
  return rows[0]?.event_seq ?? null;
}
