import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Usage } from '@aish/contracts/goals';
import type { Model, ModelCapabilities } from '@aish/contracts/models';
import type { ToolCall } from '@aish/contracts/tools';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** Of an answer. */
  readonly toolCalls?: readonly ToolCall[];
  /** Of a tool's result: which call it answers, and the tool's name. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** Of an answer: the thoughts before it, where the model is to be shown them again. */
  readonly reasoning?: string;
}

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments, an object's. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ChatRequest {
  readonly preset: Preset;
  readonly messages: readonly ChatMessage[];
  /** Longest answer in tokens; the preset's `maxTokens` when absent. */
  readonly maxTokens?: number;
  /** The preset's when absent. */
  readonly temperature?: number;
  /** The endpoint's own choice when absent. Endpoints that do not know it ignore it. */
  readonly seed?: number;
  /** llama.cpp's GBNF; the answer can be nothing else. Endpoints that do not know it refuse or ignore it. */
  readonly grammar?: string;
  /** The answer ends before the first of these texts. */
  readonly stop?: readonly string[];
  /** Offered to the model; not together with `grammar`. None are sent when the list is empty. */
  readonly tools?: readonly ToolDefinition[];
  /** `required`: the answer holds a call. */
  readonly toolChoice?: 'auto' | 'required';
  /** How messages and tools are put for this model; as they are when absent. */
  readonly capabilities?: ModelCapabilities;
  /** The prompt is read, and no answer is written: llama.cpp alone knows that. */
  readonly writesNothing?: boolean;
  /** Only for endpoints that go on with an answer whose reader has left. */
  readonly stream?: AnswerStream;
}

/** By what an answer is found again after its reader has died. */
export interface AnswerStream {
  /** The same for the same question, and for no other one. */
  readonly key: string;
  /** Whether an earlier reader may have asked already: what came of that is read first. */
  readonly resumes: boolean;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'other';

/** What an answer is made of, in the order it came. */
export type ChatChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** How much of the prompt has been read, in tokens. */
  | { readonly type: 'progress'; readonly processed: number; readonly total: number }
  /** A piece of tool call number `index`; `id` and `name` come with its first piece. */
  | {
      readonly type: 'toolCall';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly argumentsDelta: string;
    }
  /** Nothing was received; the request is sent again after `delayMs`. */
  | {
      readonly type: 'retry';
      readonly reason: 'loading' | 'unreachable';
      readonly delayMs: number;
      /** How much of a model is loaded, where the endpoint says so. */
      readonly percent?: number;
    }
  /** Exactly one, last. */
  | {
      readonly type: 'end';
      readonly finishReason: FinishReason;
      /** The model that answered, as the endpoint names it. */
      readonly model: string | null;
      readonly usage: Usage;
    };

/** Asks models at OpenAI-compatible endpoints. Adapter: http.broker.ts. */
export interface Broker {
  /**
   * Streams one answer; ends with exactly one `end`, or throws. Leaving the loop early closes the connection.
   * @throws AishError `model_template` (facts: `reason`), `model_grammar`, `model_no_tools`, `model_unparsed` (facts:
   * `text`): what `ask` goes round; `model_unreachable`, `model_loading` (after the retries), `model_timeout` (facts: `timeout`,
   * `afterMs`), `model_context_overflow` (facts: `promptTokens`, `contextTokens`), `model_bad_stream`, `model_refused`
   * (facts: `status`, `message`), `aborted`.
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk>;

  /**
   * Lets a llama-server that has nothing else to do read a request, and write nothing. Whether it did; false also for
   * other servers. @throws AishError as `chat`.
   */
  readAhead(request: ChatRequest, signal: AbortSignal): Promise<boolean>;

  /** Begins to connect to a preset's endpoint, for a `chat` that comes in a moment; without one nothing comes of it. */
  connectAhead(preset: Preset): void;

  /**
   * Whether a preset's endpoint is ready and which model it has. Answers within about 3 s.
   * @throws AishError `aborted` and nothing else: a bad endpoint is an answer.
   */
  models(preset: Preset, signal: AbortSignal): Promise<Model>;

  /**
   * Finds out what the model behind a preset can do, with a few small requests. Answers within about 30 s, and with
   * what it had found by then.
   * @param asksModel whether the model is asked for a call of a tool, too; so by default.
   * @throws AishError `aborted`, or what keeps the endpoint from answering at all.
   */
  capabilities(preset: Preset, signal: AbortSignal, asksModel?: boolean): Promise<ModelCapabilities>;

  /**
   * What changes when the endpoint serves another model, or the same one otherwise: a digest; null where it does not say.
   * @throws AishError `aborted`, or what keeps the endpoint from answering at all.
   */
  identity(preset: Preset, signal: AbortSignal): Promise<string | null>;

  /** How many tokens `text` is, or null where the endpoint does not count. @throws AishError `aborted`. */
  countTokens(preset: Preset, text: string, signal: AbortSignal): Promise<number | null>;
}
