import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Preset } from '@aish/contracts/config/presets.settings';
import type { Model, ModelCapabilities } from '@aish/contracts/models';
import { isAishError, type AishError } from '@aish/contracts/problems';
import { AnswerDecoder } from './answer.decoder.js';
import { DEFAULT_RETRY, retryDelayMs, type RetryOptions } from './backoff.js';
import type { Broker, ChatChunk, ChatRequest } from './broker.port.js';
import { RequestsAhead } from './requests-ahead.js';
import { Deadline } from './deadline.js';
import { bodyOf, exchange, textOf } from './exchange.js';
import { loadingUntil } from './loading.js';
import { Measurement } from './measure.js';
import { askModels } from './models.js';
import { capabilitiesOf, identityOf } from './find-capabilities.js';
import { isIdle } from './idle.js';
import { badStream, refusal, retryAfterSeconds } from './refusal.js';
import { nameOf, openAgain, stopStream } from './resumed-answer.js';
import { shapeMessages, usesTextTools } from './shape.js';
import { countTokens } from './token.counter.js';

const ERROR_BODY_MAX_BYTES = 64 * 1024;

/**
 * With this many answers at the same time or more, aish reads each one a little less often and passes on the new text
 * in one piece. Nobody reads that fast, and every piece costs the same, however long it is.
 */
const GATHER_FROM_ANSWERS = 40;
const GATHER_MS_PER_ANSWER = 0.4;
const GATHER_MAX_MS = 80;

/** Communicates with OpenAI-compatible endpoints over HTTP and uses llama.cpp's additions if present. */
export class HttpBroker implements Broker {
  readonly #retry: RetryOptions;
  readonly #ahead = new RequestsAhead();
  /** Number of running answers. */
  #answers = 0;

  /** @param options.retry how often and how long to retry an endpoint that is loading or unavailable. */
  constructor(options: { retry?: RetryOptions } = {}) {
    this.#retry = options.retry ?? DEFAULT_RETRY;
  }

  async *chat(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk, void> {
    const { preset } = request;
    const measurement = new Measurement(preset);
    const deadline = new Deadline(signal, preset.totalTimeoutMs);
    let isWhole = false;
    this.#answers += 1;
    try {
      const response = yield* this.#open(request, deadline);
      const decoder = new AnswerDecoder(preset.apiKey);
      const body = bodyOf(response, preset.idleTimeoutMs, deadline);
      // One loop does everything for a token, without `yield*`, because with many streams each further stage costs
      // time.
      for (let readAt = performance.now(); ; readAt = performance.now()) {
        const piece = await nextPiece(body, deadline);
        const chunks =
          'fault' in piece
            ? [decoder.end(piece.fault)]
            : piece.done === true
              ? decoder.finish()
              : decoder.feed(piece.value);
        for (const chunk of chunks) {
          deadline.signal.throwIfAborted();
          measurement.saw(chunk);
          isWhole ||= chunk.type === 'end';
          yield chunk;
        }
        if ('fault' in piece || piece.done === true) return;
        if (decoder.isDone) {
          const end = decoder.end();
          measurement.saw(end);
          isWhole = true;
          yield end;
          return;
        }
        const gatherMs = this.#gatherMs() - (performance.now() - readAt);
        if (gatherMs > 1) await deadline.pause(gatherMs);
      }
    } catch (error) {
      measurement.failed(error);
      throw error;
    } finally {
      this.#answers -= 1;
      if (request.stream !== undefined && !isWhole) void stopStream(preset, request.stream, signal);
      deadline.close();
      measurement.end();
    }
  }

  async readAhead(request: ChatRequest, signal: AbortSignal): Promise<boolean> {
    if ((await isIdle(request.preset, signal)) !== true) return false;
    for await (const _ of this.chat({ ...request, writesNothing: true }, signal)) signal.throwIfAborted();
    return true;
  }

  connectAhead(preset: Preset): void {
    this.#ahead.open(chatUrl(preset), preset.apiKey);
  }

  models(preset: Preset, signal: AbortSignal): Promise<Model> {
    return askModels(preset, signal);
  }

  capabilities(preset: Preset, signal: AbortSignal, asksModel = true): Promise<ModelCapabilities> {
    return capabilitiesOf(preset, this, signal, asksModel);
  }

  identity(preset: Preset, signal: AbortSignal): Promise<string | null> {
    return identityOf(preset, signal);
  }

  countTokens(preset: Preset, text: string, signal: AbortSignal): Promise<number | null> {
    return countTokens(preset, text, signal);
  }

  #gatherMs(): number {
    return this.#answers < GATHER_FROM_ANSWERS ? 0 : Math.min(GATHER_MAX_MS, this.#answers * GATHER_MS_PER_ANSWER);
  }

  /** Waits for the head of a streamed answer. It retries while the endpoint is loading or unavailable. */
  async *#open(request: ChatRequest, deadline: Deadline): AsyncGenerator<ChatChunk, IncomingMessage> {
    const { preset, stream } = request;
    const begun = stream?.resumes === true ? await openAgain(preset, stream, deadline) : null;
    if (begun !== null) return begun;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const asking = ask(request, this.#ahead.take(chatUrl(preset), preset.apiKey), deadline);
        if (request.capabilities?.loads === true) yield* loadingUntil(asking, preset, deadline);
        return await asking;
      } catch (error) {
        // In both cases no part of an answer was received, so a retry repeats nothing.
        if (!isAishError(error, 'model_loading', 'model_unreachable') || attempt >= this.#retry.attempts) throw error;
        const delayMs = retryDelayMs(attempt, this.#retry, Math.random());
        yield { type: 'retry', reason: reasonOf(error), delayMs };
        await deadline.pause(delayMs).catch((reason: unknown) => {
          // The time ran out during a retry pause. The cause is still the unavailable endpoint.
          throw isAishError(reason, 'model_timeout') ? error : reason;
        });
      }
    }
  }
}

function reasonOf(error: AishError): 'loading' | 'unreachable' {
  return error.code === 'model_loading' ? 'loading' : 'unreachable';
}

async function ask(request: ChatRequest, ahead: ClientRequest | null, deadline: Deadline): Promise<IncomingMessage> {
  const { preset, stream } = request;
  const response = await exchange(
    {
      method: 'POST',
      url: chatUrl(preset),
      apiKey: preset.apiKey,
      body: bodyFor(request),
      ...(stream === undefined ? {} : { headers: nameOf(stream) }),
      connectTimeoutMs: preset.connectTimeoutMs,
      ahead,
    },
    deadline,
  );
  const status = response.statusCode ?? 0;
  if (status !== 200) {
    const body = await textOf(response, ERROR_BODY_MAX_BYTES, preset.idleTimeoutMs, deadline);
    throw refusal(status, body, preset.apiKey, retryAfterSeconds(response.headers['retry-after'], Date.now()));
  }
  const contentType = response.headers['content-type'] ?? '';
  if (!contentType.startsWith('text/event-stream')) {
    const what = contentType.startsWith('text/html') ? 'a web page' : contentType || 'an unnamed content type';
    throw badStream(`the endpoint answered with ${what}, not with an event stream`);
  }
  return response;
}

function chatUrl({ baseUrl }: Preset): string {
  return `${baseUrl}/v1/chat/completions`;
}

function bodyFor(request: ChatRequest): Record<string, unknown> {
  const {
    preset,
    messages,
    maxTokens,
    temperature,
    seed,
    grammar,
    stop,
    tools = [],
    toolChoice,
    capabilities,
  } = request;
  const sendsTools = tools.length > 0 && (capabilities === undefined || !usesTextTools(capabilities));
  const body = {
    ...(preset.model === null ? {} : { model: preset.model }),
    messages: shapeMessages(messages, capabilities, tools),
    ...samplingFor(temperature ?? preset.temperature, capabilities),
    ...(seed === undefined ? {} : { seed }),
    ...(grammar === undefined ? {} : { grammar }),
    ...templateSettings(preset, capabilities),
    ...(request.writesNothing === true ? { n_predict: 0 } : { max_tokens: maxTokens ?? preset.maxTokens }),
    ...(stop === undefined || stop.length === 0 ? {} : { stop }),
    ...(sendsTools ? { tools: tools.map((tool) => ({ type: 'function', function: tool })) } : {}),
    ...(sendsTools && toolChoice !== undefined ? { tool_choice: toolChoice } : {}),
    ...(sendsTools && capabilities?.parallelCalls === true ? { parallel_tool_calls: true } : {}),
    // llama.cpp notices a disconnect within about 0.2 s only if the stream has progress frames.
    stream: true,
    return_progress: true,
    stream_options: { include_usage: true },
    cache_prompt: true,
  };
  const refused = new Set(capabilities?.refusedFields);
  return refused.size === 0 ? body : Object.fromEntries(Object.entries(body).filter(([name]) => !refused.has(name)));
}

/**
 * Returns sampling values from the request or the preset, then from the makers of the model. If there are none, the
 * endpoint chooses.
 */
function samplingFor(
  temperature: number | null,
  capabilities: ModelCapabilities | undefined,
): Readonly<Record<string, number>> {
  return temperature === null ? (capabilities?.sampling?.values ?? {}) : { temperature };
}

/** Returns the settings for the chat template, by the names that it uses. */
function templateSettings(
  { effort }: Preset,
  capabilities: ModelCapabilities | undefined,
): Readonly<Record<string, unknown>> {
  const { effortName: name, templateSettings: settings = {} } = capabilities ?? {};
  const isAsked = typeof effort === 'string' && typeof name === 'string';
  const chosen = { ...settings, ...(isAsked ? { [name]: effort } : {}) };
  return Object.keys(chosen).length === 0 ? {} : { chat_template_kwargs: chosen };
}

/** Returns the next piece of a body. A cut connection is a `fault`, because the answer may be complete anyway. */
async function nextPiece(
  body: AsyncIterator<Uint8Array, void>,
  deadline: Deadline,
): Promise<IteratorResult<Uint8Array, void> | { readonly fault: unknown }> {
  try {
    return await body.next();
  } catch (error) {
    if (deadline.signal.aborted) throw error;
    return { fault: error };
  }
}
