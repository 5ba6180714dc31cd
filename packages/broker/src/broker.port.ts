import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Usage } from '@aish/contracts/goals';
import type { Model, ModelCapabilities } from '@aish/contracts/models';
import type { ToolCall } from '@aish/contracts/tools';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** The tool calls of an answer. */
  readonly toolCalls?: readonly ToolCall[];
  /** The call that a tool's result answers, and the tool's name. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  /** The thoughts before an answer, if the model should see them again. */
  readonly reasoning?: string;
}

/** A tool as it is described to a model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON schema of the arguments, always an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface ChatRequest {
  readonly preset: Preset;
  readonly messages: readonly ChatMessage[];
  /** Maximum tokens of the answer. Default: the preset's `maxTokens`. */
  readonly maxTokens?: number;
  /** Default: the preset's. */
  readonly temperature?: number;
  /** Default: the endpoint chooses one. Endpoints without support ignore it. */
  readonly seed?: number;
  /** A grammar in llama.cpp's GBNF, which the answer must match. Endpoints without support refuse or ignore it. */
  readonly grammar?: string;
  /** Texts that stop the answer. It ends before the first of them. */
  readonly stop?: readonly string[];
  /** Tools that the model may call. They cannot be combined with `grammar`. An empty list is not sent. */
  readonly tools?: readonly ToolDefinition[];
  /** With `required`, the answer must contain a call. */
  readonly toolChoice?: 'auto' | 'required';
  /** How to format messages and tools for this model. Default: unchanged. */
  readonly capabilities?: ModelCapabilities;
  /** Whether the endpoint only reads the prompt and writes no answer. Only llama.cpp supports this. */
  readonly writesNothing?: boolean;
  /** The identity of the answer. Used only for endpoints that continue an answer after its reader has disconnected. */
  readonly stream?: AnswerStream;
}

/** Identifies an answer, so that it can be found again after its reader has died. */
export interface AnswerStream {
  /** A key that is the same for the same question, and different for any other question. */
  readonly key: string;
  /** Whether an earlier reader may already have asked. In that case, that reader's answer is read first. */
  readonly resumes: boolean;
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'other';

/** The parts of an answer, in order. */
export type ChatChunk =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** The number of prompt tokens that have been read so far. */
  | { readonly type: 'progress'; readonly processed: number; readonly total: number }
  /** A piece of the tool call with this `index`. The first piece has `id` and `name`. */
  | {
      readonly type: 'toolCall';
      readonly index: number;
      readonly id?: string;
      readonly name?: string;
      readonly argumentsDelta: string;
    }
  /** No answer was received. The request is sent again after `delayMs`. */
  | {
      readonly type: 'retry';
      readonly reason: 'loading' | 'unreachable';
      readonly delayMs: number;
      /** The percentage of a model that is loaded, if the endpoint reports it. */
      readonly percent?: number;
    }
  /** Exactly one of these arrives, as the last chunk. */
  | {
      readonly type: 'end';
      readonly finishReason: FinishReason;
      /** The model that answered, by the endpoint's name. */
      readonly model: string | null;
      readonly usage: Usage;
    };

/** Asks models at OpenAI-compatible endpoints. Adapter: http.broker.ts. */
export interface Broker {
  /**
   * Streams one answer. It ends with exactly one `end`, or throws. Leaving the loop early closes the connection.
   *
   * @throws AishError errors with a workaround in `ask`: `model_template` (facts: `reason`), `model_grammar`,
   * `model_no_tools`, `model_unparsed` (facts: `text`). Others: `model_unreachable`, `model_loading` (after the
   * retries), `model_timeout` (facts: `timeout`, `afterMs`), `model_context_overflow` (facts: `promptTokens`,
   * `contextTokens`), `model_bad_stream`, `model_refused` (facts: `status`, `message`), `aborted`.
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk>;

  /**
   * Lets an idle llama-server read a request without writing an answer.
   *
   * @returns whether it did so; false for other servers
   * @throws AishError like `chat`.
   */
  readAhead(request: ChatRequest, signal: AbortSignal): Promise<boolean>;

  /** Connects to a preset's endpoint for a `chat` that will follow soon. If none follows, the connection is closed. */
  connectAhead(preset: Preset): void;

  /**
   * Says whether a preset's endpoint is ready, and which model it has. It returns within about 3 s.
   *
   * @throws AishError only `aborted`. A faulty endpoint is a result, not an error.
   */
  models(preset: Preset, signal: AbortSignal): Promise<Model>;

  /**
   * Finds out with a few small requests which capabilities the model of a preset has. It returns within about 30 s with
   * everything that it has found by then.
   *
   * @param asksModel whether to ask the model for a tool call, too. Default: true.
   * @throws AishError `aborted`, or the reason why the endpoint does not answer at all.
   */
  capabilities(preset: Preset, signal: AbortSignal, asksModel?: boolean): Promise<ModelCapabilities>;

  /**
   * Returns a digest that changes if the endpoint serves another model, or the same model with other settings; null if
   * it does not report them.
   *
   * @throws AishError `aborted`, or the reason why the endpoint does not answer at all.
   */
  identity(preset: Preset, signal: AbortSignal): Promise<string | null>;

  /**
   * Returns the number of tokens in `text`, or null if the endpoint does not count them.
   *
   * @throws AishError `aborted`.
   */
  countTokens(preset: Preset, text: string, signal: AbortSignal): Promise<number | null>;
}
