import type { ActionRequest, ActionState, RunOutcome } from '@aish/contracts/actions';
import type { ChatState } from '@aish/contracts/chat';
import type { EventBody, SessionEvent } from '@aish/contracts/events';
import type { GoalState, Usage, WaitingFor } from '@aish/contracts/goals';
import { AishError } from '@aish/contracts/problems';
import type { Classification } from '@aish/contracts/safety';
import type { Turn } from '@aish/contracts/sessions';
import type { ToolResult } from '@aish/contracts/tools';
import type { Tx } from '../tx.js';
import { storable, storableJson } from './storable.js';

/** The counters of a goal in the step machine. */
export interface GoalProgress {
  readonly stepBudget: number;
  readonly stepsTaken: number;
  readonly tokensUsed: number;
  readonly activeMs: number;
  readonly nudged: boolean;
  readonly verified: boolean;
  readonly checksFailed: number;
  readonly malformed: number;
  readonly toolDepth: number;
  readonly failures: number;
}

export interface GoalChange {
  readonly state: GoalState;
  readonly reason: string | null;
  readonly waitingFor: WaitingFor | null;
  readonly summary: string | null;
  readonly ended: boolean;
  /** The pause, which is set only with `waiting`. Setting it also counts the pause. */
  readonly wakeInMs: number | null;
}

/** The new values of an action's fields. Absent fields stay unchanged. */
export interface ActionChange {
  readonly id: string;
  readonly state?: ActionState;
  readonly classification?: Classification;
  readonly outcome?: RunOutcome;
  readonly result?: ToolResult;
  readonly digest?: string;
  readonly skipReason?: string;
}

/** The model's answer in a step, and the actions that it asked for. */
export interface AnsweredStep {
  readonly n: number;
  readonly text: string;
  readonly model: string | null;
  readonly usage: Usage | null;
  readonly goalLine: unknown;
  readonly notes: readonly string[];
  readonly actions: readonly (ActionRequest & { readonly id: string })[];
}

/** Changes of the goal itself. */
export interface GoalPart {
  readonly goalId: string;
  readonly progress: GoalProgress;
  /** The change of the state; null if the state stays. */
  readonly change: GoalChange | null;
  /** Whether a service that was unavailable is available again. */
  readonly isProgress: boolean;
}

/** Changes of the chat itself. The answer now contains the text of the draft, so the draft is emptied. */
export interface ChatPart {
  readonly sessionId: string;
  readonly progress: { readonly state: ChatState; readonly exchange: number; readonly rounds: number };
  /** The tool descriptions in requests; absent if there are no new ones. */
  readonly offered?: unknown;
}

/** Everything that one event of a goal or a chat writes. */
export interface SessionRecord {
  readonly of: GoalPart | ChatPart;
  /** The epoch of the runner that writes; null for a person's change, which holds the row of the goal or chat. */
  readonly epoch: number | null;
  readonly answered: AnsweredStep | null;
  /** The number of the step that starts; null if none does. */
  readonly started: number | null;
  /** Changes of actions, including those of `answered`. */
  readonly actions: readonly ActionChange[];
  readonly turns: readonly Omit<Turn, 'seq'>[];
  readonly events: readonly EventBody[];
}

/**
 * Writes everything that one event changes in a goal or a chat, in one statement: all or nothing, in one round trip.
 * Turns and events have no gaps in their session. An `answer.ended` gets the number of the turn with the answer.
 *
 * @returns turns and events as stored.
 * @throws AishError `epoch_superseded` if there is another runner or a person ended the session's work.
 */
export async function writeSessionRecord(
  tx: Tx,
  record: SessionRecord,
): Promise<{ readonly turns: readonly Turn[]; readonly events: readonly SessionEvent[] }> {
  const { of, epoch, answered, started, turns, events } = record;
  const goal = 'goalId' in of ? of : null;
  const chat = 'goalId' in of ? null : of;
  const { progress, change = null, isProgress = false } = goal ?? {};
  const changes = new Map(record.actions.map((each) => [each.id, each]));
  // One statement cannot change a row that it inserts, so a new action is inserted in its final state.
  const asked = (answered?.actions ?? []).map((action, at) => ({ ...action, n: at + 1, ...changes.get(action.id) }));
  for (const { id } of asked) changes.delete(id);
  const turnRows = turns.map((turn, at) => ({ ...turn, at: at + 1 }));
  const answerAt = turns.findIndex(({ role }) => role === 'assistant') + 1;
  const eventRows = events.map((body, at) => ({
    at: at + 1,
    type: body.type,
    payload: body,
    ...(body.type === 'answer.ended' && answerAt > 0 ? { answerAt } : {}),
  }));
  // This waits for the current writer and then sees the epoch that it left. No other writer can come in between.
  const rows = await tx.$queryRaw<{ session_id: string; turn_seq: number; event_seq: number; at: Date }[]>`
    with goal as (
      update goals set step_budget = ${progress?.stepBudget ?? null}::int, steps_taken = ${progress?.stepsTaken ?? null}::int,
        tokens_used = ${progress?.tokensUsed ?? null}::int, active_ms = ${progress?.activeMs ?? null}::float8,
        nudged = ${progress?.nudged ?? null}::bool, verified = ${progress?.verified ?? null}::bool,
        checks_failed = ${progress?.checksFailed ?? null}::int, malformed = ${progress?.malformed ?? null}::int,
        tool_depth = ${progress?.toolDepth ?? null}::int, failures = ${progress?.failures ?? null}::int, updated_at = now(),
        state = coalesce(${change?.state ?? null}::text, state),
        reason = case when ${change === null}::bool then reason else ${storableOrNull(change?.reason)}::text end,
        waiting_for = case when ${change === null}::bool then waiting_for else ${change?.waitingFor ?? null}::text end,
        summary = coalesce(${storableOrNull(change?.summary)}::text, summary),
        wake_at = case when ${change === null}::bool then wake_at
                       else now() + ${change?.wakeInMs ?? null}::int * interval '1 millisecond' end,
        waits = case when ${isProgress}::bool then 0
                     when ${change?.wakeInMs ?? null}::int is null then waits else waits + 1 end,
        ended_at = case when ${change === null}::bool then ended_at when ${change?.ended ?? false}::bool then now() end
      where id = ${goal?.goalId ?? null}::uuid and epoch = coalesce(${epoch}::int, epoch) returning session_id
    ), chat as (
      update chats set state = ${chat?.progress.state ?? null}::text, exchange = ${chat?.progress.exchange ?? null}::int,
        rounds = ${chat?.progress.rounds ?? null}::int, draft = '', draft_reasoning = '',
        offered = coalesce(${storableJson(chat?.offered)}::json, offered), updated_at = now()
      where session_id = ${chat?.sessionId ?? null}::uuid and epoch = coalesce(${epoch}::int, epoch) returning session_id
    ), session as (
      update sessions set turn_seq = turn_seq + ${turns.length}::int, event_seq = event_seq + ${events.length}::int,
        updated_at = now()
      from (select session_id from goal union all select session_id from chat) of
      where id = of.session_id returning id, turn_seq, event_seq
    ), answered as (
      update steps set text = ${storableOrNull(answered?.text)}::text, model = ${storableOrNull(answered?.model)}::text,
        usage = ${storableJson(answered?.usage)}::jsonb, goal_line = ${storableJson(answered?.goalLine)}::jsonb,
        notes = ${storableJson(answered?.notes ?? [])}::jsonb, answered_at = now()
      from session where session_id = session.id and n = ${answered?.n ?? null}::int returning session_id, n
    ), started as (
      insert into steps (session_id, n) select id, ${started}::int from session where ${started}::int is not null
    ), asked as (
      insert into actions (id, session_id, step_number, n, kind, command, is_check, call_id, tool, label, arguments,
                           read_only, state, classification, outcome, result, digest, skip_reason, started_at,
                           ended_at)
      select a.id, s.session_id, s.n, a.n, a.kind, a.command, coalesce(a."isCheck", false), a."callId", a.tool, a.label,
             a.arguments, coalesce(a."readOnly", false), coalesce(a.state, 'pending'), a.classification, a.outcome,
             a.result, a.digest, a."skipReason", case when a.state = 'started' then now() end,
             case when a.state in ('finished', 'skipped', 'lost') then now() end
      from answered s, jsonb_to_recordset(${storableJson(asked)}::jsonb)
        as a(id uuid, n int, kind text, command text, "isCheck" bool, "callId" text, tool text, label text,
             arguments text, "readOnly" bool, state text, classification jsonb, outcome jsonb, result jsonb, digest text,
             "skipReason" text)
    ), acted as (
      update actions a set classification = coalesce(c.classification, a.classification),
        state = coalesce(c.state, a.state), outcome = coalesce(c.outcome, a.outcome),
        result = coalesce(c.result, a.result), digest = coalesce(c.digest, a.digest),
        skip_reason = coalesce(c."skipReason", a.skip_reason),
        started_at = case when c.state = 'started' then now() else a.started_at end,
        ended_at = case when c.state is null then a.ended_at
                        when c.state in ('finished', 'skipped', 'lost') then now() end
      from session, jsonb_to_recordset(${storableJson([...changes.values()])}::jsonb)
        as c(id uuid, state text, classification jsonb, outcome jsonb, result jsonb, digest text, "skipReason" text)
      where a.id = c.id and a.session_id = session.id
    ), added as (
      insert into turns (session_id, seq, role, provenance, content, parts, meta)
      select session.id, session.turn_seq - ${turns.length}::int + t.at, t.role, t.provenance, t.content, t.parts, t.meta
      from session, jsonb_to_recordset(${storableJson(turnRows)}::jsonb)
        as t(at int, role text, provenance text, content text, parts jsonb, meta jsonb)
    ), happened as (
      insert into events (session_id, seq, type, payload)
      select session.id, session.event_seq - ${events.length}::int + e.at, e.type,
        case when e."answerAt" is null then e.payload
             else jsonb_set(e.payload, '{turn}', to_jsonb(session.turn_seq - ${turns.length}::int + e."answerAt")) end
      from session, jsonb_to_recordset(${storableJson(eventRows)}::jsonb)
        as e(at int, type text, payload jsonb, "answerAt" int)
    )
    select id as session_id, turn_seq, event_seq, now()::timestamptz(3) as at from session`;
  const last = rows[0];
  if (last === undefined) {
    const what = goal === null ? `Chat ${chat?.sessionId}` : `Goal ${goal.goalId}`;
    throw new AishError(
      'epoch_superseded',
      `${what} is now run by another process, so epoch ${epoch} may no longer write`,
    );
  }
  const { session_id: sessionId, at } = last;
  const [turnsBefore, eventsBefore] = [last.turn_seq - turns.length, last.event_seq - events.length];
  return {
    turns: turns.map((turn, index) => ({ ...turn, seq: turnsBefore + 1 + index })),
    events: eventRows.map(({ payload, answerAt: turnAt }, index) => ({
      sessionId,
      seq: eventsBefore + 1 + index,
      at: at.toISOString(),
      body:
        payload.type === 'answer.ended' && turnAt !== undefined ? { ...payload, turn: turnsBefore + turnAt } : payload,
    })),
  };
}

function storableOrNull(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : storable(text);
}
