import { newActions } from '@aish/actions';
import type { AnswerEnd } from '@aish/contracts/chat';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { LiveBody } from '@aish/contracts/events';
import { jsonTextOf } from '@aish/contracts/json-text';
import { isAishError } from '@aish/contracts/problems';
import type { Turn } from '@aish/contracts/sessions';
import type { ToolSpec } from '@aish/contracts/tools';
import type { AskChunk, Room, Understood } from '@aish/broker';
import { chatSystemPrompt, compose, composeWindow, extract, goalSystemPrompt } from '@aish/conversation';
import { named, type Definition, type Toolbox } from '@aish/tools';
import type { Answered } from './machine/state.js';
import type { ChatPorts, ChatSettings } from './ports.js';

export interface Question {
  readonly preset: Preset;
  /** In the session of a goal: its prompt is the goal's, so that the endpoint has read it already. */
  readonly isAboutGoal: boolean;
  readonly turns: readonly Turn[];
  readonly background: string | null;
  readonly specs: readonly ToolSpec[];
  readonly offered: readonly Definition[];
  /** Tools that the model has found. */
  readonly wanted: readonly string[];
  readonly exchange: number;
  readonly step: number;
  readonly live: (body: LiveBody) => void;
  /** Words of the answer as they come. `restart`: those so far are void. */
  readonly draft: (part: 'text' | 'reasoning' | 'restart', words: string) => void;
  /** Told when `signal` aborts: why. */
  readonly endOfAbort: () => AnswerEnd;
}

export interface Reply {
  readonly answer: Answered;
  /** What the request described; grows only. */
  readonly offered: readonly Definition[];
}

/** Asks for one answer, from the preset or from what it falls back to. Always answers: errors are in it. */
export async function askModel(
  question: Question,
  ports: Pick<ChatPorts, 'asker' | 'toolbox' | 'autoApproves'>,
  settings: ChatSettings,
  signal: AbortSignal,
): Promise<Reply> {
  const first = await askPreset(question, question.preset, null, ports, settings, signal);
  const { trouble, text, reasoning } = first.answer;
  const fallback = settings.presets.find(({ name }) => name === question.preset.fallback);
  const isAway = trouble !== null && AWAY.has(trouble.code) && text === '' && reasoning === '';
  if (!isAway || fallback === undefined || signal.aborted) return first;
  const { exchange, step } = question;
  question.live({
    type: 'answer.retry',
    exchange,
    step,
    reason: `${trouble.code}; ${fallback.name} answers instead`,
    delayMs: 0,
  });
  return askPreset(question, fallback, question.preset.name, ports, settings, signal);
}

const AWAY: ReadonlySet<string> = new Set(['model_unreachable', 'model_loading', 'model_timeout', 'model_refused']);

async function askPreset(
  question: Question,
  preset: Preset,
  fallbackFrom: string | null,
  { asker, toolbox, autoApproves }: Pick<ChatPorts, 'asker' | 'toolbox' | 'autoApproves'>,
  settings: ChatSettings,
  signal: AbortSignal,
): Promise<Reply> {
  const began = performance.now();
  let offered = question.offered;
  const compose = (room: Room) => {
    const composed = fill({ ...room, autoApproves }, question, preset, toolbox, settings);
    offered = composed.tools;
    return composed;
  };
  const writer = new Writer(question);
  let understood: Understood | null = null;
  let failure: unknown = null;
  try {
    for await (const chunk of asker.ask({ preset, compose }, signal)) {
      if (chunk.type === 'understood') understood = chunk.answer;
      else writer.add(chunk, began);
    }
  } catch (error) {
    if (!isAishError(error)) throw error;
    failure = error;
  }
  const common = {
    preset: preset.name,
    fallbackFrom,
    firstWordMs: writer.firstWordMs,
    totalMs: performance.now() - began,
  };
  if (understood === null) {
    const end = signal.aborted ? question.endOfAbort() : 'failed';
    const trouble = isAishError(failure) && end === 'failed' ? { code: failure.code, detail: failure.message } : null;
    return { answer: { ...common, ...writer.partial(), end, trouble }, offered };
  }
  const { commands, goalLine } = extract(understood.text);
  const toolCalls = named(understood.toolCalls, question.specs);
  const actions = newActions(commands, toolCalls, question.specs, toolbox);
  const { text, reasoning, model, usage, notes, isSchemaEcho, finishReason } = understood;
  const end = finishReason === 'length' ? 'length' : 'whole';
  const answer = {
    ...common,
    text,
    reasoning,
    toolCalls,
    actions,
    need: goalLine?.kind === 'need' ? goalLine.need : null,
    end,
    model,
    usage,
    notes,
    isSchemaEcho,
    trouble: null,
  } as const;
  return { answer, offered };
}

/** Fills the room: tools take their share, the conversation what is left. */
function fill(
  room: Room & Pick<ChatPorts, 'autoApproves'>,
  question: Question,
  preset: Preset,
  toolbox: Toolbox,
  settings: ChatSettings,
) {
  const context = room.fit.contextTokens ?? room.budgetTokens;
  const share = Math.floor(context * settings.toolShare);
  const { definitions } = toolbox.choose(question.specs, question.offered, question.wanted, {
    ...room,
    budgetTokens: share,
  });
  const taken = definitions.reduce((sum, definition) => sum + room.tokensOf(jsonTextOf(definition)), 0);
  if (question.isAboutGoal) {
    const budgetTokens = Math.max(128, room.budgetTokens - taken);
    const system = goalSystemPrompt(question.specs, question.background);
    return { messages: compose(system, question.turns, budgetTokens, room.tokensOf), tools: definitions };
  }
  const messages = composeWindow({
    system: chatSystemPrompt(
      question.background,
      definitions.length > 0,
      question.specs.some(({ name }) => name === 'kb_query'),
    ),
    turns: question.turns,
    budgetTokens: Math.max(128, room.budgetTokens - taken),
    tokensOf: room.tokensOf,
    maxTurns: preset.maxTurns ?? null,
    keepsFirst: false,
  });
  return { messages, tools: definitions };
}

/** Passes an answer on as it comes and keeps what came. */
class Writer {
  firstWordMs: number | null = null;
  private text: string[] = [];
  private reasoning: string[] = [];
  private readonly calls = new Map<number, { name: string; chars: number }>();
  private notes: string[] = [];

  constructor(private readonly question: Question) {}

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
        live({ type: 'answer.progress', exchange, step, processed: chunk.processed, total: chunk.total });
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
        live({ type: 'answer.retry', exchange, step, reason: chunk.reason, delayMs: chunk.delayMs });
        break;
      case 'again':
        this.text = [];
        this.reasoning = [];
        this.notes.push(chunk.note);
        draft('restart', '');
        live({ type: 'answer.retry', exchange, step, reason: `again: ${chunk.note}`, delayMs: 0 });
        break;
    }
  }

  partial(): Pick<
    Answered,
    'text' | 'reasoning' | 'toolCalls' | 'actions' | 'need' | 'model' | 'usage' | 'notes' | 'isSchemaEcho'
  > {
    return {
      text: this.text.join(''),
      reasoning: this.reasoning.join(''),
      toolCalls: [],
      actions: [],
      need: null,
      model: null,
      usage: null,
      notes: this.notes,
      isSchemaEcho: false,
    };
  }
}
