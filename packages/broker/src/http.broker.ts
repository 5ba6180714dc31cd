import type { IncomingMessage } from 'node:http';
import { isAishError, type AishError, type Model, type Preset } from '@aish/contracts';
import { AnswerDecoder } from './answer.decoder.js';
import { DEFAULT_RETRY, retryDelayMs, type RetryOptions } from './backoff.js';
import type { Broker, ChatChunk, ChatRequest } from './broker.port.js';
import { Deadline } from './deadline.js';
import { bodyOf, exchange, textOf } from './exchange.js';
import { askModels } from './models.js';
import { badStream, refusal } from './refusal.js';

const ERROR_BODY_MAX_BYTES = 64 * 1024;

/** Speaks to OpenAI-compatible endpoints over HTTP; llama.cpp's additions are used where they come. */
export class HttpBroker implements Broker {
  readonly #retry: RetryOptions;

  /** @param options.retry how often and how patiently an endpoint is asked that is loading or not there. */
  constructor(options: { retry?: RetryOptions } = {}) {
    this.#retry = options.retry ?? DEFAULT_RETRY;
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk, void> {
    const { preset } = request;
    const deadline = new Deadline(signal, preset.totalTimeoutMs);
    try {
      const response = yield* this.#open(request, deadline);
      yield* readAnswer(response, preset, deadline);
    } finally {
      deadline.close();
    }
  }

  models(preset: Preset, signal: AbortSignal): Promise<Model> {
    return askModels(preset, signal);
  }

  /** The head of an answer that is a stream. Asks again while the endpoint is loading or not there. */
  async *#open(request: ChatRequest, deadline: Deadline): AsyncGenerator<ChatChunk, IncomingMessage> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ask(request, deadline);
      } catch (error) {
        // Both mean that nothing of an answer was received, so asking again repeats nothing.
        if (!isAishError(error, 'model_loading', 'model_unreachable') || attempt >= this.#retry.attempts) throw error;
        const delayMs = retryDelayMs(attempt, this.#retry, Math.random());
        yield { type: 'retry', reason: reasonOf(error), delayMs };
        await deadline.pause(delayMs).catch((reason: unknown) => {
          // Out of time while waiting to ask again: what is wrong is still that nobody was there.
          throw isAishError(reason, 'model_timeout') ? error : reason;
        });
      }
    }
  }
}

function reasonOf(error: AishError): 'loading' | 'unreachable' {
  return error.code === 'model_loading' ? 'loading' : 'unreachable';
}

async function ask(request: ChatRequest, deadline: Deadline): Promise<IncomingMessage> {
  const { preset } = request;
  const response = await exchange(
    {
      method: 'POST',
      url: `${preset.baseUrl}/v1/chat/completions`,
      apiKey: preset.apiKey,
      body: bodyFor(request),
      connectTimeoutMs: preset.connectTimeoutMs,
    },
    deadline,
  );
  const status = response.statusCode ?? 0;
  if (status !== 200) {
    const body = await textOf(response, ERROR_BODY_MAX_BYTES, preset.idleTimeoutMs, deadline);
    throw refusal(status, body, preset.apiKey);
  }
  const contentType = response.headers['content-type'] ?? '';
  if (!contentType.startsWith('text/event-stream')) {
    throw badStream(`the endpoint answered with ${contentType || 'an unnamed content type'}, not with an event stream`);
  }
  return response;
}

function bodyFor({ preset, messages, maxTokens, temperature, grammar, stop }: ChatRequest): Record<string, unknown> {
  return {
    ...(preset.model === null ? {} : { model: preset.model }),
    messages,
    temperature: temperature ?? preset.temperature,
    ...(grammar === undefined ? {} : { grammar }),
    max_tokens: maxTokens ?? preset.maxTokens,
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    // Only a stream with progress frames lets llama.cpp notice within about 0.2 s that nobody listens any more.
    stream: true,
    return_progress: true,
    stream_options: { include_usage: true },
    cache_prompt: true,
  };
}

async function* readAnswer(
  response: IncomingMessage,
  preset: Preset,
  deadline: Deadline,
): AsyncGenerator<ChatChunk, void> {
  const decoder = new AnswerDecoder(preset.apiKey);
  const body = bodyOf(response, preset.idleTimeoutMs, deadline);
  for (;;) {
    let next: IteratorResult<Uint8Array, void>;
    try {
      next = await body.next();
    } catch (error) {
      if (deadline.signal.aborted) throw error;
      yield decoder.end(error); // the connection was cut: whole all the same, if it had said that it was
      return;
    }
    for (const chunk of next.done === true ? decoder.finish() : decoder.feed(next.value)) {
      deadline.signal.throwIfAborted();
      yield chunk;
    }
    if (next.done === true) return;
    if (decoder.isDone) {
      yield decoder.end();
      return;
    }
  }
}
