import { RecordDraft, isActionRecord } from '@aish/actions';
import type { EventBody, SessionEvent } from '@aish/contracts/events';
import type { Turn } from '@aish/contracts/sessions';
import { writeSessionRecord, type AnsweredStep } from '@aish/database/session-record.repository';
import type { Tx } from '@aish/database/tx';
import type { ChatRecord } from './machine/events.js';
import type { Answered, ChatMachine } from './machine/state.js';

export interface RecordContext {
  readonly sessionId: string;
  /** The machine before the event and after it. */
  readonly previous: ChatMachine;
  readonly machine: ChatMachine;
  /** The model's words of the newest step; their last lines go with a decision. */
  readonly words: string;
  readonly preset: string;
  /** The driver's, which may be old; null where the chat is locked already. */
  readonly epoch: number | null;
  /** What requests have described of tools, where that has grown. */
  readonly offered?: unknown;
  /** Events that belong before those of the records. */
  readonly before?: readonly EventBody[];
}

export interface Recorded {
  readonly events: readonly SessionEvent[];
  readonly turns: readonly Turn[];
}

/** Longest text of an answer or a result that an event repeats; the turn holds all of it. */
const EVENT_TEXT_MAX_CHARS = 64 * 1024;

/**
 * Writes the records of one event, rows and events alike: where `isOneStatement` with one, else in the caller's
 * transaction.
 * @throws AishError `epoch_superseded` when the chat has another driver.
 */
export async function recordChat(tx: Tx, records: readonly ChatRecord[], context: RecordContext): Promise<Recorded> {
  const { sessionId, machine, previous, words, preset, before = [] } = context;
  const { exchange } = machine;
  const place = { sessionId, goalId: null, stepBudget: null, words, haltExpiry: null };
  const draft = new RecordDraft(tx, place, previous, machine, [...before]);
  const { events } = draft;
  let answered: AnsweredStep | null = null;
  let started: number | null = null;
  for (const record of records) {
    if (isActionRecord(record)) {
      await draft.add(record);
      continue;
    }
    switch (record.type) {
      case 'startStep':
        started = record.n;
        events.push({ type: 'answer.started', exchange, step: record.n, preset, fallbackFrom: null });
        break;
      case 'answerStep': {
        const { answer, n } = record;
        const { text, model, usage, notes, actions, need } = answer;
        const goalLine = need === null ? null : { kind: 'need', need };
        answered = { n, text, model, usage, notes, actions, goalLine };
        draft.addPlaces(n, actions);
        events.push(answerEnded(answer, n, exchange));
        break;
      }
      case 'endExchange':
        events.push({ type: 'exchange.ended', exchange, end: record.end, trouble: record.trouble });
    }
  }
  const { offered } = context;
  return writeSessionRecord(tx, {
    of: { sessionId, progress: machine, ...(offered === undefined ? {} : { offered }) },
    epoch: context.epoch,
    answered,
    started,
    actions: draft.actions,
    turns: draft.turns,
    events,
  });
}

function answerEnded(answer: Answered, step: number, exchange: number): EventBody & { readonly type: 'answer.ended' } {
  const { text, reasoning, toolCalls, end, preset, fallbackFrom, model, usage, firstWordMs, totalMs, notes } = answer;
  return {
    type: 'answer.ended',
    exchange,
    step,
    turn: null,
    text: text.slice(0, EVENT_TEXT_MAX_CHARS),
    reasoning: reasoning.slice(0, EVENT_TEXT_MAX_CHARS),
    toolCalls: [...toolCalls],
    end,
    preset,
    fallbackFrom,
    model,
    usage,
    firstWordMs,
    totalMs,
    notes: [...notes],
  };
}
