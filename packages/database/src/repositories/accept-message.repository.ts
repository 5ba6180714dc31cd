import type { EventBody, SessionEvent } from '@aish/contracts/events';
import { jsonValueOf } from '@aish/contracts/json-text';
import type { Turn } from '@aish/contracts/sessions';
import type { Database } from '../client.js';
import { sql, type Sql } from '../sql.js';
import type { Tx } from '../tx.js';
import type { ChatRow } from './chats.repository.js';
import { toMemoryItem, type MemoryEntryRow, type ShownBackground } from './memory-items.repository.js';
import { storable } from './storable.js';
import { TOKEN_HOLDS } from './tokens.repository.js';
import { toTurn, type TurnRow } from './turns.repository.js';

/** The result of an accepted message. */
export interface Accepted {
  readonly chat: ChatRow;
  readonly step: number;
  /** The turns before the message that fit into a request; see `listRecentTurns`. */
  readonly before: readonly Turn[];
  /** The memory background that the session got before; null if it has none yet. */
  readonly background: ShownBackground | null;
  readonly turn: Turn;
  readonly events: readonly SessionEvent[];
}

/** A person's message in a chat. */
export interface Message {
  readonly text: string;
  /** The name of the message's author. */
  readonly by: string;
  /** The title that a session without a title gets. */
  readonly title: string;
  /** The ID of the token in the request. */
  readonly tokenId: string;
}

/**
 * Accepts a message if its token is valid and may work in the session's space, and the chat is idle. One statement
 * writes the user turn, the step, and the events `message.received` and `answer.started`, and reads the earlier turns,
 * because a person waits for it before the model is asked.
 *
 * @returns null if the token has expired, was revoked or may not work there, if the chat does not exist or is not idle.
 */
export async function acceptMessage(
  { statements }: Pick<Database, 'statements'>,
  sessionId: string,
  message: Message,
): Promise<Accepted | null> {
  const text = storable(message.text);
  const row = await accept(statements, sessionId, { ...message, text, title: storable(message.title) });
  if (row === undefined) return null;
  const { step, turn_seq: seq, event_seq: eventSeq, turns, background } = row;
  const at = new Date(row.at).toISOString();
  const chat: ChatRow = { ...row.chat, offered: jsonValueOf(row.chat.offered) };
  let before = (turns ?? []).map(toTurn);
  if ((before.at(-1)?.seq ?? 0) !== seq - 1) {
    // The statement waited for another commit and read the turns in their state before that commit.
    before = (await listRecentTurns({ statements }, sessionId)).filter((turn) => turn.seq < seq);
  }
  const event = (n: number, body: EventBody): SessionEvent => ({ sessionId, seq: n, at, body });
  return {
    chat,
    step,
    before,
    background: background === null ? null : toShownBackground(background),
    turn: { seq, role: 'user', provenance: 'person', content: text },
    events: [
      event(eventSeq - 1, { type: 'message.received', exchange: chat.exchange, turn: seq, text, by: message.by }),
      event(eventSeq, {
        type: 'answer.started',
        exchange: chat.exchange,
        step,
        preset: chat.preset,
        fallbackFrom: null,
      }),
    ],
  };
}

/** The result is one document, because splitting a row of many columns takes longer than parsing JSON. */
interface AcceptedRow {
  /** `offered` stays a text, because it is long and nearly always the same as before. */
  readonly chat: Omit<ChatRow, 'offered'> & { readonly offered: string };
  readonly step: number;
  readonly turn_seq: number;
  readonly event_seq: number;
  readonly at: string;
  readonly turns: readonly TurnRow[] | null;
  readonly background: ShownBackgroundRow | null;
}

interface ShownBackgroundRow {
  readonly owner: string;
  readonly numbers: readonly number[];
  readonly instructions: string | null;
  readonly items: readonly (Omit<MemoryEntryRow, 'at'> & { readonly at: string })[] | null;
}

function toShownBackground({ items, ...rest }: ShownBackgroundRow): ShownBackground {
  return { ...rest, items: (items ?? []).map((item) => toMemoryItem({ ...item, at: new Date(item.at) })) };
}

/**
 * The columns are listed by name, because the server caches the plan of this statement and would refuse it once a newer
 * version has added a column.
 */
const COLUMNS = sql`
  session_id, owner, preset, auto_continue, confirm_commands, trust, host_folders, hosts, state, exchange, rounds, epoch, draft,
  draft_reasoning, offered::text, grants, forked_session, forked_turn, titled, goal_id`;

const WINDOW_TURNS = 400;

/**
 * Selects the turns that fit into a request: all, or the newest few hundred. Their beginning moves in jumps, so that
 * the beginning of the prompt stays the same from message to message. Proposals for the memory are not included.
 */
function recentTurns(sessionId: string): Sql {
  return sql`
    select seq, role, provenance, content, parts, meta from turns
    where session_id = ${sessionId}::uuid and meta ->> 'tag' is distinct from 'summarize' and seq >
      coalesce((select (turn_seq / ${WINDOW_TURNS / 2}::int - 1) * ${WINDOW_TURNS / 2}::int
                from sessions where id = ${sessionId}::uuid), 0)
    order by seq`;
}

/** Does the same as `checkRole` of contracts, in SQL, because the statement has the token and the space anyway. */
function mayWork(sessionId: string, tokenId: string): Sql {
  return sql`exists (
    select from api_tokens t left join api_tokens p on p.id = t.parent_id
      join sessions o on o.id = ${sessionId}::uuid left join spaces w on w.name = o.space
    where t.id = ${tokenId}::uuid and ${TOKEN_HOLDS}
      and (t.app is null or t.space is null or t.space = o.space)
      and (w.users is null or coalesce(t.owner, t.name) = any(w.users) or 'admin' = any(t.scopes)))`;
}

async function accept(
  tx: Tx,
  sessionId: string,
  { text, by, title, tokenId }: Message,
): Promise<AcceptedRow | undefined> {
  const rows = await tx.$queryRaw<{ readonly accepted: AcceptedRow }[]>`
    with c as (
      update chats set state = 'running', exchange = exchange + 1, rounds = 1, epoch = epoch + 1, draft = '',
        draft_reasoning = '', titled = true, updated_at = now()
      where session_id = ${sessionId}::uuid and state = 'idle' and ${mayWork(sessionId, tokenId)}
      returning ${COLUMNS}
    ), was as (select titled from chats where session_id = ${sessionId}::uuid),
    s as (
      update sessions set turn_seq = turn_seq + 1, event_seq = event_seq + 2, updated_at = now(),
        archived = archived and kind = 'goal',
        title = case when (select titled from was) then title else ${title} end
      from c where id = c.session_id returning turn_seq, event_seq
    ), st as (
      insert into steps (session_id, n)
      select c.session_id, coalesce((select max(n) from steps where session_id = c.session_id), 0) + 1 from c returning n
    ), t as (
      insert into turns (session_id, seq, role, provenance, content)
      select c.session_id, s.turn_seq, 'user', 'person', ${text} from c, s
    ), e as (
      insert into events (session_id, seq, type, payload)
      select c.session_id, s.event_seq - 1, 'message.received', jsonb_build_object('type', 'message.received',
        'exchange', c.exchange, 'turn', s.turn_seq, 'text', ${text}::text, 'by', ${by}::text) from c, s
      union all
      select c.session_id, s.event_seq, 'answer.started', jsonb_build_object('type', 'answer.started',
        'exchange', c.exchange, 'step', st.n, 'preset', c.preset, 'fallbackFrom', null) from c, s, st
    )
    select json_build_object('chat', c, 'step', st.n, 'turn_seq', s.turn_seq, 'event_seq', s.event_seq,
      'at', now()::timestamptz(3), 'turns', (select json_agg(r) from (${recentTurns(sessionId)}) r),
      'background', (select json_build_object('owner', b.owner, 'numbers', b.numbers, 'instructions', b.instructions, 'items',
         (select json_agg(e) from (
           select number, kind, content, target, tags, origin, source, by, at, replaces, forgotten_by, extra
           from memory_entries where owner = b.owner and number = any(b.numbers) and target is null) e))
       from memory_backgrounds b where b.session_id = ${sessionId}::uuid and b.loaded_at is not null)) as accepted
    from c, s, st`;
  return rows[0]?.accepted;
}

/** Lists the turns that fit into a request. */
export async function listRecentTurns(
  { statements }: Pick<Database, 'statements'>,
  sessionId: string,
): Promise<Turn[]> {
  const rows = await statements.$queryRaw<TurnRow[]>`${recentTurns(sessionId)}`;
  return rows.map(toTurn);
}
