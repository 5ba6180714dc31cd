import type { EventBody, SessionEvent, Turn, TurnMeta, Usage } from '@aish/contracts';
import type { Database } from '../client.js';
import { superseded } from './chats.repository.js';
import { storable, storableJson } from './storable.js';

/** An answer that asks for nothing, with which its exchange ends. */
export interface PlainAnswer {
  readonly sessionId: string;
  /** The driver's. */
  readonly epoch: number;
  readonly progress: {
    readonly state: string;
    readonly exchange: number;
    readonly rounds: number;
    readonly calls: readonly string[];
  };
  readonly step: {
    readonly n: number;
    readonly text: string;
    readonly model: string | null;
    readonly usage: Usage | null;
    readonly notes: readonly string[];
  };
  /** What the request described of tools, where that has grown. */
  readonly offered: unknown;
  readonly turn: { readonly content: string; readonly meta?: TurnMeta };
  /** The first one is told the number of the turn, as `turn`. */
  readonly events: readonly [EventBody & { readonly type: 'answer.ended' }, ...EventBody[]];
}

/**
 * Writes what most exchanges end with as one statement, which is its own transaction: with many chats the round trips of
 * seven would be most of what a message costs.
 * @throws AishError `epoch_superseded` when the chat has another driver.
 */
export async function recordPlainAnswer(
  { pool }: Pick<Database, 'pool'>,
  { sessionId, epoch, progress, step, offered, turn, events }: PlainAnswer,
): Promise<{ readonly turn: Turn; readonly events: readonly SessionEvent[] }> {
  const { rows } = await pool.query<{ turn_seq: number; event_seq: number; at: Date }>({
    name: 'record-plain-answer',
    text: SQL,
    values: [
      sessionId,
      epoch,
      progress.state,
      progress.exchange,
      progress.rounds,
      storableJson(progress.calls),
      step.n,
      storable(step.text),
      step.model === null ? null : storable(step.model),
      storableJson(step.usage),
      storableJson(step.notes),
      storable(turn.content),
      storableJson(turn.meta),
      storableJson(events.map((payload, n) => ({ n: n + 1, type: payload.type, payload }))),
      events.length,
      storableJson(offered),
    ],
  });
  const row = rows[0];
  if (row === undefined) throw superseded(sessionId, epoch);
  const [ended, ...rest] = events;
  const bodies: readonly EventBody[] = [{ ...ended, turn: row.turn_seq }, ...rest];
  const at = row.at.toISOString();
  return {
    turn: { seq: row.turn_seq, role: 'assistant', ...turn },
    events: bodies.map((body, n) => ({ sessionId, seq: row.event_seq - bodies.length + 1 + n, at, body })),
  };
}

const SQL = `
with c as (
  update chats set state = $3, exchange = $4::int, rounds = $5::int, calls = $6::jsonb, draft = '', draft_reasoning = '',
    offered = coalesce($16::json, offered), updated_at = now()
  where session_id = $1::uuid and epoch = $2::int returning session_id
), s as (
  update sessions set turn_seq = turn_seq + 1, event_seq = event_seq + $15::int, updated_at = now()
  from c where id = c.session_id returning id, turn_seq, event_seq
), st as (
  update steps set text = $8, model = $9, usage = $10::jsonb, notes = $11::jsonb, answered_at = now()
  from c where steps.session_id = c.session_id and n = $7::int
), t as (
  insert into turns (session_id, seq, role, content, meta) select id, turn_seq, 'assistant', $12, $13::jsonb from s
), e as (
  insert into events (session_id, seq, type, payload)
  select s.id, s.event_seq - $15::int + told.n, told.type,
    case when told.n = 1 then jsonb_set(told.payload, '{turn}', to_jsonb(s.turn_seq)) else told.payload end
  from s, jsonb_to_recordset($14::jsonb) as told(n int, type text, payload jsonb)
)
select turn_seq, event_seq, now()::timestamptz(3) as at from s`;
