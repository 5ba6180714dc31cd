import type { Model, Preset, Usage } from '@aish/contracts';

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
}

export interface ChatRequest {
  readonly preset: Preset;
  readonly messages: readonly ChatMessage[];
  /** Longest answer in tokens; the preset's `maxTokens` when absent. */
  readonly maxTokens?: number;
  /** The preset's when absent. */
  readonly temperature?: number;
  /** llama.cpp's GBNF; the answer can be nothing else. Endpoints that do not know it refuse or ignore it. */
  readonly grammar?: string;
  /** The answer ends before the first of these texts. */
  readonly stop?: readonly string[];
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
  | { readonly type: 'retry'; readonly reason: 'loading' | 'unreachable'; readonly delayMs: number }
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
   * @throws AishError `model_unreachable`, `model_loading` (after the retries), `model_timeout` (facts: `timeout`,
   * `afterMs`), `model_context_overflow` (facts: `promptTokens`, `contextTokens`), `model_bad_stream`, `model_refused`
   * (facts: `status`, `message`), `aborted`.
   */
  chat(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk>;

  /**
   * Whether a preset's endpoint is ready and which model it has. Answers within about 3 s.
   * @throws AishError `aborted` and nothing else: a bad endpoint is an answer.
   */
  models(preset: Preset, signal: AbortSignal): Promise<Model>;
}
