import type { EventBody, LiveBody } from '@aish/contracts/events';
import {
  head,
  push,
  replace,
  TEXT_MAX_CHARS,
  endsInThought,
  thinkingAfter,
  untilNews,
  type AnswerEntry,
  type Timeline,
} from './entries.js';

type ChatEvent = Extract<
  EventBody,
  { type: 'chat.created' | 'chat.changed' | 'message.received' | 'answer.started' | 'answer.ended' | 'exchange.ended' }
>;
type ChatLive = Exclude<LiveBody, { type: 'tool.progress' | 'tool.log' | 'action.output' | `model.${string}` }>;

const ENDS: Readonly<Record<string, string>> = {
  depth: 'The limit of tool calls for one message was reached. Say how to continue.',
  stopped: 'Stopped.',
  interrupted: 'Interrupted: the server was stopped.',
};

/** Returns the timeline after a stored event of a chat. */
export function addChatEvent(timeline: Timeline, body: ChatEvent): Timeline {
  switch (body.type) {
    case 'chat.created':
    case 'chat.changed':
      return timeline;
    case 'message.received': {
      const { exchange, text, by } = body;
      return push(timeline, { type: 'message', exchange, text: head(text, TEXT_MAX_CHARS), by });
    }
    case 'answer.started': {
      const { exchange, step, preset, fallbackFrom } = body;
      const known = findAnswer(timeline, exchange, step);
      const started = { ...emptyAnswer(exchange, step), preset, fallbackFrom };
      return known === undefined ? push(timeline, started) : replace(timeline, known, started);
    }
    case 'answer.ended': {
      const { exchange, step, preset, fallbackFrom, reasoning, end, model, usage, totalMs, notes, toolCalls } = body;
      const known = findAnswer(timeline, exchange, step);
      const text = head(body.text, TEXT_MAX_CHARS);
      const ended: AnswerEntry = {
        ...(known ?? emptyAnswer(exchange, step)),
        preset,
        fallbackFrom,
        text,
        reasoning,
        end,
        model,
        usage,
        totalMs,
        notes,
        isStreaming: false,
        // aish may ask a second model about them, which takes seconds.
        doing: toolCalls.length === 0 ? null : `aish is checking ${toolCalls.map(({ name }) => name).join(', ')}`,
      };
      return known === undefined ? push(timeline, ended) : replace(timeline, known, ended);
    }
    case 'exchange.ended': {
      const { trouble, end } = body;
      if (end === 'answered') return timeline;
      const text = trouble === null ? (ENDS[end] ?? end) : `${trouble.detail} (${trouble.code})`;
      return push(timeline, { type: 'trouble', text, isBad: end === 'failed' });
    }
  }
}

/** Returns the timeline with live text. Live text of an ended answer is late and dropped. */
export function addChatLive(timeline: Timeline, body: ChatLive, nowMs?: number): Timeline {
  const known = findAnswer(timeline, body.exchange, body.step);
  if (known?.isStreaming === false) return timeline;
  const answer = known ?? emptyAnswer(body.exchange, body.step);
  const change = changeOf(answer, body);
  const isThinking = body.type === 'answer.reasoning' || endsInThought(change.text ?? '');
  const next = { ...answer, ...change, ...thinkingAfter(answer.thinking, isThinking, nowMs) };
  return known === undefined ? push(timeline, next) : replace(timeline, known, next);
}

function changeOf(answer: AnswerEntry, body: ChatLive): Partial<AnswerEntry> {
  switch (body.type) {
    case 'answer.delta':
      return { text: head(answer.text + body.text, TEXT_MAX_CHARS), doing: null, ...untilNews(answer) };
    case 'answer.draft': {
      const { text, reasoning } = body;
      const all = { text: head(text, TEXT_MAX_CHARS), reasoning: reasoning.slice(-TEXT_MAX_CHARS) };
      return { ...all, doing: null, ...untilNews(answer) };
    }
    case 'answer.reasoning':
      return { reasoning: (answer.reasoning + body.text).slice(-TEXT_MAX_CHARS), doing: null };
    case 'answer.progress':
      return { progress: body };
    case 'answer.call':
      return { doing: `writing a call to ${body.name} (${body.argumentsChars} characters)` };
    case 'answer.retry':
      return { doing: `${body.reason}; retrying in ${Math.ceil(body.delayMs / 1000)} s` };
  }
}

function emptyAnswer(exchange: number, step: number): AnswerEntry {
  return {
    type: 'answer',
    exchange,
    step,
    preset: '',
    fallbackFrom: null,
    text: '',
    reasoning: '',
    isStreaming: true,
    doing: null,
    end: null,
    model: null,
    usage: null,
    totalMs: null,
    notes: [],
  };
}

function findAnswer({ entries }: Timeline, exchange: number, step: number): AnswerEntry | undefined {
  return entries.findLast(
    (entry): entry is AnswerEntry => entry.type === 'answer' && entry.exchange === exchange && entry.step === step,
  );
}
