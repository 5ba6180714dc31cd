import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Usage } from '@aish/contracts/goals';
import { jsonTextOf } from '@aish/contracts/json-text';
import type { ModelCapabilities } from '@aish/contracts/models';
import { AishError, isAishError } from '@aish/contracts/problems';
import type { ToolCall } from '@aish/contracts/tools';
import { randomUUID } from 'node:crypto';
import { ACTION_CALLS } from './action-calls.js';
import { EMPTY_ANSWER, addChunk, type Answer } from './answer.js';
import type { AnswerStream, Broker, ChatChunk, ChatMessage, FinishReason, ToolDefinition } from './broker.port.js';
import type { CapabilityStore } from './capability.store.js';
import { lessonOf } from './lesson.js';
import { readObject } from './repair-json.js';
import { salvage, salvageThoughts } from './salvage.js';
import { callAsText } from './shape.js';
import type { TokenCounter } from './token.counter.js';

/** The room that the messages have, and how it is measured. */
export interface Room {
  readonly capabilities: ModelCapabilities;
  /** Tokens for the messages. */
  readonly budgetTokens: number;
  readonly tokensOf: (text: string) => number;
}

export interface Composed {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly ToolDefinition[];
}

export interface AskRequest {
  readonly preset: Preset;
  /**
   * Composes messages that fit into the room. It is called again with less room if the endpoint says that they are too
   * long.
   */
  readonly compose: (room: Room) => Composed;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
  /** Identifies an answer, so that it can be found again after its reader has died. */
  readonly stream?: AnswerStream;
}

/** An answer after parsing. */
export interface Understood {
  readonly text: string;
  readonly reasoning: string;
  /**
   * The calls, each with a unique ID. Names are those of the offered tools, even if the model wrote them slightly
   * differently.
   */
  readonly toolCalls: readonly ToolCall[];
  readonly finishReason: FinishReason;
  readonly model: string | null;
  readonly usage: Usage | null;
  /** Notes for people about things that aish noticed. */
  readonly notes: readonly string[];
  /** Whether the model repeated the description of a tool instead of calling it. */
  readonly isSchemaEcho: boolean;
}

export type AskChunk =
  | Exclude<ChatChunk, { type: 'end' }>
  /** The answer so far is void. The model is asked again in another way. */
  | { readonly type: 'again'; readonly note: string }
  /** Exactly one of these arrives, as the last event. */
  | { readonly type: 'understood'; readonly answer: Understood };

/** The assumed window, including the answer, of an endpoint that does not report its size. */
export const DEFAULT_CONTEXT_TOKENS = 26_000;
/** Tokens that a template adds once: its markers and the start of the answer. */
const TEMPLATE_TOKENS = 64;
const ROUNDS_MAX = 5;
const BEGUN_BROKE = 'the previous answer was cut off, so aish asked again';
const TOO_LONG = 'the request was too long for the model, so aish asked again with a shorter one';
const THOUGHT_ONLY = 'its thoughts took all the space for the answer, so aish asked again with space for both';
/** Maximum tokens of thoughts before an answer. The preset limits the answer itself. */
const THOUGHTS_MAX_TOKENS = 8_192;
/**
 * Tokens that thoughts leave for prompt and messages, unless thoughts would then have less than a quarter of the
 * window.
 */
const MESSAGES_MIN_TOKENS = 4_096;
/**
 * The assumed characters per token of an endpoint that was not measured. A high guess avoids ending an answer too
 * early.
 */
const CHARS_PER_TOKEN_MAX = 6;
/** The smallest useful window for messages, in tokens. */
const BUDGET_MIN_TOKENS = 200;
/** If the endpoint has read less than this share of the counted tokens, it has silently cut the prompt. */
const READ_SHARE_MIN = 0.6;
const READ_CHECK_MIN_TOKENS = 1_000;

/** Asks models in the way that they support, works around known failures, and learns from them. */
export class Asker {
  constructor(
    private readonly broker: Broker,
    private readonly book: CapabilityStore,
    private readonly counter: TokenCounter,
  ) {}

  /**
   * Streams one answer. The stream ends with `understood`, or throws an error without a workaround. Leaving the loop
   * early closes the connection.
   *
   * @throws AishError like `Broker.chat`.
   */
  async *ask(request: AskRequest, signal: AbortSignal): AsyncGenerator<AskChunk, void> {
    const { preset, stream } = request;
    const notes: string[] = [];
    let capabilities = await this.book.of(preset, signal);
    let shrink = 1;
    let unparsed = 0;
    for (let round = 1; ; round += 1) {
      const { composed, sentTokens, budgetTokens } = await this.compose(request, capabilities, shrink, signal);
      let answer: Answer = EMPTY_ANSWER;
      // A repeated request is a different question.
      const resumes = round === 1 && capabilities.resumable === true && stream?.resumes === true;
      try {
        const chunks = this.broker.chat(
          {
            preset,
            ...composed,
            capabilities,
            ...limitOf(request, capabilities),
            ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
            ...(request.seed === undefined ? {} : { seed: request.seed }),
            ...(stream === undefined || capabilities.resumable !== true
              ? {}
              : { stream: { key: stream.key, resumes } }),
          },
          signal,
        );
        const writer = new AnswerWriter(answerChars(preset, capabilities));
        for await (const chunk of chunks) {
          writer.add(chunk);
          if (chunk.type !== 'end') yield chunk;
          // Thoughts and answer share one limit at the endpoint, so the answer's own limit is enforced here.
          if (writer.isOver) break;
        }
        answer = writer.answer();
        if (answer.reasoning !== '' && capabilities.thinks !== true) {
          capabilities = await this.book.learn(preset, { thinks: true }, 'it thinks before it answers');
          // The limit left no room for thoughts. The next round adds this room, so the model can finish its answer.
          const isOnlyThought = answer.text === '' && answer.toolCalls.length === 0;
          if (isOnlyThought && answer.finishReason === 'length' && request.maxTokens === undefined) {
            notes.push(THOUGHT_ONLY);
            yield { type: 'again', note: THOUGHT_ONLY };
            continue;
          }
        }
      } catch (error) {
        if (!isAishError(error) || round >= ROUNDS_MAX) throw error;
        if (resumes && error.code === 'model_bad_stream') {
          yield { type: 'again', note: BEGUN_BROKE };
          continue;
        }
        if (error.code === 'model_unparsed') {
          const { text } = error.facts;
          const saved = salvage(typeof text === 'string' ? text : '', namesOf(composed));
          if (saved.calls.length > 0) {
            const note = 'read a tool call out of what the endpoint could not read';
            yield {
              type: 'understood',
              answer: { ...understood(EMPTY_ANSWER, composed, notes), ...called(saved, [...notes, note]) },
            };
            return;
          }
          unparsed += 1;
          // The server parses no calls if no tools are described.
          capabilities = { ...capabilities, nativeTools: false };
          if (unparsed > 2) throw error;
          notes.push(error.message);
          yield { type: 'again', note: error.message };
          continue;
        }
        const smaller =
          error.code === 'model_context_overflow' ? shrinkBy(error, preset, budgetTokens, capabilities) : null;
        if (smaller !== null) {
          if (shrink * smaller * budgetTokens < BUDGET_MIN_TOKENS) throw error;
          shrink *= smaller;
          const context = error.facts['contextTokens'];
          if (typeof context === 'number')
            capabilities = await this.book.learn(
              preset,
              { contextTokens: context },
              `its context is ${context} tokens`,
            );
          if (!notes.includes(TOO_LONG)) notes.push(TOO_LONG);
          yield { type: 'again', note: TOO_LONG };
          continue;
        }
        const learned = lessonOf(error, capabilities, composed);
        if (learned === null) throw error;
        capabilities = await this.book.learn(preset, learned, error.message);
        notes.push(error.message);
        yield { type: 'again', note: error.message };
        continue;
      }
      const read = answer.usage?.promptTokens ?? null;
      if (
        read !== null &&
        sentTokens > READ_CHECK_MIN_TOKENS &&
        read < sentTokens * READ_SHARE_MIN &&
        isCounted(capabilities)
      ) {
        const room = read + answerRoom(preset, read * 2, capabilities);
        await this.book.learn(
          preset,
          { contextTokens: room },
          `it read ${read} of ${sentTokens} tokens without a word`,
        );
        notes.push(`the endpoint read only ${read} of about ${sentTokens} tokens; its context is smaller than it says`);
      }
      yield { type: 'understood', answer: understood(answer, composed, notes) };
      return;
    }
  }

  /**
   * Lets the endpoint read an expected prompt in advance if it is idle.
   *
   * @returns whether the endpoint did so
   * @throws AishError like `Broker.chat`.
   */
  async readAhead(request: AskRequest, signal: AbortSignal): Promise<boolean> {
    const { preset } = request;
    const capabilities = await this.book.of(preset, signal);
    if (typeof capabilities.identity !== 'string') return false;
    const { composed } = await this.compose(request, capabilities, 1, signal);
    return this.broker.readAhead({ preset, ...composed, capabilities }, signal);
  }

  private async compose(
    { preset, compose }: AskRequest,
    capabilities: ModelCapabilities,
    shrink: number,
    signal: AbortSignal,
  ): Promise<{ composed: Composed; sentTokens: number; budgetTokens: number }> {
    const context = capabilities.contextTokens ?? DEFAULT_CONTEXT_TOKENS;
    const whole = context - answerRoom(preset, context, capabilities) - TEMPLATE_TOKENS;
    const budgetTokens = Math.floor(Math.max(BUDGET_MIN_TOKENS, Math.min(whole, preset.tokenBudget ?? whole) * shrink));
    // Each text is measured several times, and sessions are long.
    const sizes = new Map<string, number>();
    const tokensOf = (text: string): number => {
      const known = sizes.get(text);
      if (known !== undefined) return known;
      const tokens = this.counter.of(preset, text, capabilities);
      sizes.set(text, tokens);
      return tokens;
    };
    const room: Room = { capabilities, budgetTokens, tokensOf };
    let composed = compose(room);
    const textsOf = (each: Composed): readonly string[] => [
      ...each.messages.map(({ content, toolCalls = [] }) => content + toolCalls.map(callAsText).join('\n')),
      ...each.tools.map(jsonTextOf),
    ];
    const size = (each: Composed): number => textsOf(each).reduce((sum, text) => sum + tokensOf(text), 0);
    // If the window is far from full, an estimate is good enough, and no request is needed.
    if (size(composed) > budgetTokens / 2) {
      await this.counter.count(preset, textsOf(composed), capabilities, signal);
      sizes.clear();
      composed = compose(room);
    }
    // The tools are not counted, because a template that does not support tools rightly drops them.
    return { composed, sentTokens: size({ ...composed, tools: [] }), budgetTokens };
  }
}

/** Collects chunks without copying earlier text. */
class AnswerWriter {
  private rest: Answer = EMPTY_ANSWER;
  private readonly text: string[] = [];
  private readonly reasoning: string[] = [];
  private textChars = 0;

  /** @param maxChars maximum length of the text. The writer does not wait for more. */
  constructor(private readonly maxChars: number) {}

  get isOver(): boolean {
    return this.textChars > this.maxChars;
  }

  add(chunk: ChatChunk): void {
    if (chunk.type === 'text') {
      this.text.push(chunk.text);
      this.textChars += chunk.text.length;
    } else if (chunk.type === 'reasoning') this.reasoning.push(chunk.text);
    else this.rest = addChunk(this.rest, chunk);
  }

  answer(): Answer {
    const end = this.isOver ? { finishReason: 'length' as const } : {};
    return {
      ...this.rest,
      ...end,
      text: this.text.join('').slice(0, this.maxChars),
      reasoning: this.reasoning.join(''),
    };
  }
}

function isCounted(capabilities: ModelCapabilities): boolean {
  return capabilities.countsTokens === true || capabilities.charsPerToken !== null;
}

/**
 * Returns the maximum characters of an answer if the request has room for thoughts. Otherwise the endpoint's limit
 * applies to the answer.
 */
function answerChars({ maxTokens }: Preset, { thinks, charsPerToken }: ModelCapabilities): number {
  return thinks === true ? maxTokens * Math.max(CHARS_PER_TOKEN_MAX, charsPerToken ?? 0) : Infinity;
}

/** Returns the number of tokens reserved for thoughts and answer. */
function answerRoom(preset: Preset, context: number, { thinks }: Pick<ModelCapabilities, 'thinks'>): number {
  const quarter = Math.floor(context / 4);
  if (thinks !== true) return Math.min(preset.maxTokens, quarter);
  // In a small window the prompt and the messages come first.
  const room = Math.max(quarter, Math.min(Math.floor(context / 2), context - MESSAGES_MIN_TOKENS));
  return Math.min(THOUGHTS_MAX_TOKENS + preset.maxTokens, room);
}

/** Returns the token limit to send to the endpoint, or nothing if the preset's own limit applies. */
function limitOf({ preset, maxTokens }: AskRequest, capabilities: ModelCapabilities): { readonly maxTokens?: number } {
  if (maxTokens !== undefined) return { maxTokens };
  if (capabilities.thinks !== true) return {};
  return { maxTokens: answerRoom(preset, capabilities.contextTokens ?? DEFAULT_CONTEXT_TOKENS, capabilities) };
}

/** Returns the names that a call in a text may use: the described tools, and aish's own actions. */
function namesOf({ tools }: Composed): ReadonlySet<string> {
  return new Set([...tools.map((tool) => tool.name), ...ACTION_CALLS]);
}

/** Returns the share of the budget that fits, from the server's numbers; half if it gives none. */
function shrinkBy(error: AishError, preset: Preset, budgetTokens: number, capabilities: ModelCapabilities): number {
  const { promptTokens, contextTokens } = error.facts;
  if (typeof promptTokens !== 'number' || typeof contextTokens !== 'number') return 0.5;
  const room = contextTokens - answerRoom(preset, contextTokens, capabilities);
  return Math.min(0.9, (room * 0.9) / Math.max(promptTokens, Math.min(budgetTokens, contextTokens)));
}

function understood(answer: Answer, composed: Composed, notes: readonly string[]): Understood {
  const names = namesOf(composed);
  const base = {
    text: answer.text,
    reasoning: answer.reasoning,
    finishReason: answer.finishReason ?? ('other' as const),
    model: answer.model,
    usage: answer.usage,
    notes,
    isSchemaEcho: false,
    toolCalls: [] as readonly ToolCall[],
  };
  if (answer.toolCalls.length > 0) {
    const isCut = answer.finishReason === 'length';
    const lastIndex = answer.toolCalls.length - 1;
    let mended = 0;
    const toolCalls = answer.toolCalls.map((call, at): ToolCall => {
      const object = readObject(call.arguments, isCut && at === lastIndex);
      if (object?.isMended === true && call.arguments.trim() !== '') mended += 1;
      const text = object?.isMended === true ? JSON.stringify(object.value) : call.arguments;
      return { id: call.id ?? randomUUID(), name: call.name, arguments: text };
    });
    return { ...base, toolCalls, notes: mended > 0 ? [...notes, 'repaired the JSON of a tool call'] : notes };
  }
  const saved = salvage(answer.text, names);
  if (saved.calls.length > 0 && answer.finishReason !== 'length') {
    return { ...base, ...called(saved, [...notes, 'read a tool call out of the text']) };
  }
  const isOnlyThought = answer.text.trim() === '' && answer.finishReason !== 'length';
  const calls = isOnlyThought ? salvageThoughts(answer.reasoning, names) : [];
  if (calls.length > 0)
    return { ...base, ...called({ text: '', calls }, [...notes, 'read a tool call out of the thoughts']) };
  return { ...base, isSchemaEcho: saved.isSchemaEcho };
}

function called(
  { text, calls }: Pick<ReturnType<typeof salvage>, 'text' | 'calls'>,
  notes: readonly string[],
): Pick<Understood, 'text' | 'toolCalls' | 'notes'> {
  return { text, toolCalls: calls.map((call) => ({ id: randomUUID(), ...call })), notes };
}
