import type { EventBody } from '@aish/contracts/events';
import type { Tx } from '@aish/database/tx';
import { writeRecords, type Recorded, type RecordContext } from '../record.js';
import type { ChatRecord, OwnChatRecord } from '../machine/chat/events.js';
import type { Answered, ChatMachine } from '../machine/chat/state.js';

export interface ChatContext extends Omit<RecordContext<ChatMachine>, 'goalId' | 'stepBudget' | 'haltExpiry'> {
  readonly preset: string;
  /** The tools that requests have described; absent if the list has not grown. */
  readonly offered?: unknown;
}

/** The maximum number of characters of an answer or a result in an event. The turn contains the whole text. */
const EVENT_TEXT_MAX_CHARS = 64 * 1024;

/** Writes the records of one event of a chat; see `writeRecords`. */
export function recordChat(tx: Tx, records: readonly ChatRecord[], context: ChatContext): Promise<Recorded> {
  const { sessionId, machine, preset, offered } = context;
  const { exchange } = machine;
  const place = { ...context, goalId: null, stepBudget: null, haltExpiry: null };
  return writeRecords<ChatMachine, OwnChatRecord>(tx, records, place, {
    gather: (record, gathered) => {
      const { events } = gathered;
      switch (record.type) {
        case 'startStep':
          gathered.started = record.n;
          events.push({ type: 'answer.started', exchange, step: record.n, preset, fallbackFrom: null });
          break;
        case 'answerStep':
          gathered.answered = { ...record.answer, n: record.n };
          events.push(answerEnded(record.answer, record.n, exchange));
          break;
        case 'endExchange':
          events.push({ type: 'exchange.ended', exchange, end: record.end, trouble: record.trouble });
      }
    },
    own: () => ({ sessionId, progress: machine, ...(offered === undefined ? {} : { offered }) }),
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
