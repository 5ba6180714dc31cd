import type { AskChunk } from '@aish/broker';
import type { AnswerEnd } from '@aish/contracts/chat';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { LiveBody } from '@aish/contracts/events';
import type { Turn } from '@aish/contracts/sessions';
import { chatSystemPrompt, compose, composeWindow, explained, goalSystemPrompt } from '@aish/prompt';
import type { Definition } from '@aish/tools';
import { askModel, type ModelPorts, type ModelQuestion } from '../ask-model.js';
import type { Answered } from '../machine/chat/state.js';

export interface ChatQuestion extends Pick<ModelQuestion, 'specs' | 'offered' | 'wanted' | 'toolShare'> {
  readonly preset: Preset;
  /** The presets that may replace the chosen one. */
  readonly presets: readonly Preset[];
  /**
   * Whether the chat is in the session of a goal. The prompt is then the goal's, so the endpoint has already read it.
   */
  readonly isAboutGoal: boolean;
  readonly turns: readonly Turn[];
  readonly background: string | null;
  readonly exchange: number;
  readonly step: number;
  readonly live: (body: LiveBody) => void;
  /** Receives the answer's text as it arrives. `restart` means that all text so far is void. */
  readonly draft: (part: 'text' | 'reasoning' | 'restart', words: string) => void;
  /** Returns the reason why `signal` aborted. */
  readonly endOfAbort: () => AnswerEnd;
}

export interface ChatReply {
  readonly answer: Answered;
  /** The tools that the request described. The list only grows. */
  readonly offered: readonly Definition[];
}

/**
 * Asks for one answer, from the preset or from a fallback. It always returns an answer. An error is part of that
 * answer.
 */
export async function askForAnswer(question: ChatQuestion, ports: ModelPorts, signal: AbortSignal): Promise<ChatReply> {
  const first = await askPreset(question, question.preset, null, ports, signal);
  const { trouble, text, reasoning } = first.answer;
  const fallback = question.presets.find(({ name }) => name === question.preset.fallback);
  const isUnavailable = trouble !== null && AWAY.has(trouble.code) && text === '' && reasoning === '';
  if (!isUnavailable || fallback === undefined || signal.aborted) return first;
  const { exchange, step } = question;
  const reason = `${trouble.code}; ${fallback.name} answers instead`;
  question.live({ type: 'answer.retry', exchange, step, reason, delayMs: 0 });
  return askPreset(question, fallback, question.preset.name, ports, signal);
}

const AWAY: ReadonlySet<string> = new Set(['model_unreachable', 'model_loading', 'model_timeout', 'model_refused']);

async function askPreset(
  question: ChatQuestion,
  preset: Preset,
  fallbackFrom: string | null,
  ports: ModelPorts,
  signal: AbortSignal,
): Promise<ChatReply> {
  const began = performance.now();
  const { exchange, step } = question;
  const writer = new Writer(question);
  const { answer, failure, offered } = await askModel(
    {
      ...question,
      of: 'chat',
      preset,
      turns: explained(question.turns, question.isAboutGoal ? 'goal' : 'chat'),
      messages: messagesOf(question, preset),
    },
    ports,
    (chunk) => writer.add(chunk, began),
    (progress) => question.live({ type: 'answer.progress', exchange, step, ...progress }),
    signal,
  );
  const common = {
    preset: preset.name,
    fallbackFrom,
    firstWordMs: writer.firstWordMs,
    totalMs: performance.now() - began,
  };
  if (answer === null) {
    const end = signal.aborted ? question.endOfAbort() : 'failed';
    const trouble = failure !== null && end === 'failed' ? { code: failure.code, detail: failure.message } : null;
    return { answer: { ...common, ...writer.partial(), end, trouble }, offered };
  }
  const { goalLine, finishReason, text, reasoning, toolCalls, actions, model, usage, notes, isSchemaEcho, cut } =
    answer;
  const fields = { text, reasoning, toolCalls, actions, model, usage, notes, isSchemaEcho, cut, trouble: null };
  const end = finishReason === 'length' ? 'length' : 'whole';
  return { answer: { ...common, ...fields, goalLine: goalLine?.kind === 'need' ? goalLine : null, end }, offered };
}

function messagesOf(question: ChatQuestion, preset: Preset): ModelQuestion['messages'] {
  const { background, isAboutGoal } = question;
  if (isAboutGoal) {
    return ({ turns, budgetTokens, tokensOf, tools, dialect }) =>
      compose(goalSystemPrompt(tools, background, dialect), turns, budgetTokens, tokensOf);
  }
  return ({ turns, budgetTokens, tokensOf, tools, dialect }) =>
    composeWindow({
      system: chatSystemPrompt(background, tools, dialect),
      turns,
      budgetTokens,
      tokensOf,
      maxTurns: preset.maxTurns ?? null,
      keepsFirst: false,
    });
}

function reasonOf({ reason, percent }: Extract<AskChunk, { type: 'retry' }>): string {
  return percent === undefined ? reason : `${reason}, ${percent} %`;
}

/** Passes an answer on as it arrives and keeps the text. */
class Writer {
  firstWordMs: number | null = null;
  private text: string[] = [];
  private reasoning: string[] = [];
  private readonly calls = new Map<number, { name: string; chars: number }>();
  private notes: string[] = [];

  constructor(private readonly question: ChatQuestion) {}

  add(chunk: Exclude<AskChunk, { type: 'understood' }>, began: number): void {
    const { exchange, step, live, draft } = this.question;
    switch (chunk.type) {
      case 'text':
        this.firstWordMs ??= performance.now() - began;
        this.text.push(chunk.text);
        live({ type: 'answer.delta', exchange, step, text: chunk.text });
        draft('text', chunk.text);
        break;
      case 'reasoning':
        this.firstWordMs ??= performance.now() - began;
        this.reasoning.push(chunk.text);
        live({ type: 'answer.reasoning', exchange, step, text: chunk.text });
        draft('reasoning', chunk.text);
        break;
      case 'progress':
        break;
      case 'toolCall': {
        this.firstWordMs ??= performance.now() - began;
        const call = this.calls.get(chunk.index) ?? { name: '', chars: 0 };
        call.name = chunk.name ?? call.name;
        call.chars += chunk.argumentsDelta.length;
        this.calls.set(chunk.index, call);
        live({ type: 'answer.call', exchange, step, index: chunk.index, name: call.name, argumentsChars: call.chars });
        break;
      }
      case 'retry':
        live({ type: 'answer.retry', exchange, step, reason: reasonOf(chunk), delayMs: chunk.delayMs });
        break;
      case 'again':
        this.text = [];
        this.reasoning = [];
        if (!this.notes.includes(chunk.note)) this.notes.push(chunk.note);
        draft('restart', '');
        live({ type: 'answer.retry', exchange, step, reason: `again: ${chunk.note}`, delayMs: 0 });
        break;
    }
  }

  partial(): Pick<
    Answered,
    'text' | 'reasoning' | 'toolCalls' | 'actions' | 'goalLine' | 'model' | 'usage' | 'notes' | 'isSchemaEcho'
  > {
    return {
      text: this.text.join(''),
      reasoning: this.reasoning.join(''),
      toolCalls: [],
      actions: [],
      goalLine: null,
      model: null,
      usage: null,
      notes: this.notes,
      isSchemaEcho: false,
    };
  }
}
