import type { IncomingMessage } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { urlOf, type Answer, type Endpoint, type Sent } from '@aish/contracts/endpoint';
import { Problem } from '@aish/contracts/problems';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { z } from 'zod';
import { ApiError } from './api.error.js';
import { linkAbort } from './linked-abort.js';

export interface TransportOptions {
  readonly baseUrl: string;
  /** The bearer token, read anew for each request: the file may be written after this program has started. */
  readonly readToken: () => Promise<string>;
  /** Time for a whole answer, milliseconds. */
  readonly timeoutMs?: number;
  /** Silence after which a stream counts as lost, milliseconds; the server sends a heartbeat every 15 s. */
  readonly streamIdleMs?: number;
}

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** A body that is no JSON, sent as it comes; its type is among the headers. */
  readonly upload?: ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly withoutToken?: boolean;
  /** Time for the whole answer, where it takes longer than usual, milliseconds. */
  readonly timeoutMs?: number;
  /** Statuses besides 2xx whose body is a normal answer. */
  readonly alsoFine?: readonly number[];
}

/** A file may be large and a line slow. */
const FILE_TIMEOUT_MS = 10 * 60_000;
const TOO_LONG = 'it took too long';
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

/** HTTP as the api speaks it: JSON answers parsed by a schema, problem documents as ApiError, server-sent events. */
export class Transport {
  private readonly timeoutMs: number;
  private readonly streamIdleMs: number;

  constructor(private readonly options: TransportOptions) {
    this.timeoutMs = options.timeoutMs ?? 15_000;
    this.streamIdleMs = options.streamIdleMs ?? 45_000;
  }

  /** Calls an endpoint that answers with JSON, or with nothing. @throws ApiError; the signal's reason when it is aborted. */
  async call<const E extends Endpoint>(endpoint: E, sent: Sent<E>, signal?: AbortSignal): Promise<Answer<E>> {
    const { answer } = endpoint;
    const request = requestTo(endpoint, sent);
    if (answer instanceof z.ZodType) return (await this.json(answer, request, signal)) as Answer<E>;
    return (await this.text(request, signal).then(() => undefined)) as Answer<E>;
  }

  private async json<S extends z.ZodType>(schema: S, request: Request, signal?: AbortSignal): Promise<z.infer<S>> {
    const body = await this.text(request, signal);
    const parsed = schema.safeParse(parseJson(body));
    if (parsed.success) return parsed.data;
    const where = parsed.error.issues[0]?.path.join('.') ?? '';
    throw new ApiError(
      'unreadable',
      'unreadable_answer',
      `The answer of ${request.path} is not what aish ${where === '' ? 'expects' : `expects (at ${where})`}; ` +
        'client and server may be of different versions',
    );
  }

  /**
   * The events of one connection, until the server ends it; before them `open`, when the server has accepted.
   * @throws ApiError, also when nothing at all came for `streamIdleMs`; the signal's reason when it is aborted.
   */
  async *events(request: Request, signal: AbortSignal): AsyncGenerator<'open' | EventSourceMessage> {
    const link = linkAbort(signal);
    const hush = (ms: number) => setTimeout(() => link.abort(new Error(TOO_LONG)), ms);
    let timer = hush(this.timeoutMs);
    try {
      const response = await this.openStream(request, link.signal, signal);
      yield 'open';
      const queue: EventSourceMessage[] = [];
      const parser = createParser({ maxBufferSize: MAX_EVENT_CHARS, onEvent: (message) => queue.push(message) });
      const chunks = response.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
      for (;;) {
        clearTimeout(timer);
        timer = hush(this.streamIdleMs);
        const { done, value } = await this.orUnreachable(() => orReason(chunks.next(), link.signal), signal);
        if (done === true) return;
        feed(parser, value);
        yield* queue.splice(0);
      }
    } finally {
      clearTimeout(timer);
      link.unlink();
      link.abort(); // closes the connection when the reader has left before its end
    }
  }

  /** The body of an answer as it comes. @throws ApiError, also while it comes: it is whole or it fails. */
  async *bytes(request: Request, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const link = linkAbort(signal);
    const timer = setTimeout(() => link.abort(new Error(TOO_LONG)), FILE_TIMEOUT_MS);
    try {
      const response = await this.send(request, link.signal, signal);
      const reader = response.body?.getReader();
      link.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined), { once: true });
      for (;;) {
        const chunk = await this.orUnreachable(async () => {
          const read = await reader?.read();
          link.signal.throwIfAborted();
          return read;
        }, signal);
        if (chunk?.value === undefined) return;
        yield chunk.value;
      }
    } finally {
      clearTimeout(timer);
      link.unlink();
      link.abort();
    }
  }

  /** Sends a file. @throws ApiError */
  async put(request: Request, signal: AbortSignal): Promise<void> {
    const link = linkAbort(signal);
    const timer = setTimeout(() => link.abort(new Error(TOO_LONG)), FILE_TIMEOUT_MS);
    try {
      await this.send({ ...request, method: 'PUT' }, link.signal, signal);
    } finally {
      clearTimeout(timer);
      link.unlink();
    }
  }

  /** The answer as it came, whole. @throws ApiError; the signal's reason when `signal` is aborted. */
  async text(request: Request, signal: AbortSignal | undefined): Promise<string> {
    const link = linkAbort(signal);
    const timer = setTimeout(() => link.abort(new Error(TOO_LONG)), request.timeoutMs ?? this.timeoutMs);
    try {
      const response = await this.send(request, link.signal, signal);
      return await this.orUnreachable(() => response.text(), signal);
    } finally {
      clearTimeout(timer);
      link.unlink();
    }
  }

  private async openStream(
    { method = 'GET', path, body, headers }: Request,
    signal: AbortSignal,
    caller: AbortSignal,
  ): Promise<IncomingMessage> {
    const sent = {
      method,
      headers: {
        accept: 'text/event-stream',
        authorization: `Bearer ${await this.options.readToken()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    };
    const url = `${this.options.baseUrl}${path}`;
    const response = await this.orUnreachable(() => orReason(openStream(url, sent, signal), signal), caller);
    const { statusCode: status = 0, statusMessage: statusText = '' } = response;
    if (status >= 200 && status < 300) return response;
    throw problemOf({ status, statusText, text: await textOf(response).catch(() => '') }, path);
  }

  private async send(request: Request, signal: AbortSignal, caller: AbortSignal | undefined): Promise<Response> {
    const { method = 'GET', path, body, upload, alsoFine = [] } = request;
    const authorization = request.withoutToken ? {} : { authorization: `Bearer ${await this.options.readToken()}` };
    const response = await this.orUnreachable(
      () =>
        fetch(`${this.options.baseUrl}${path}`, {
          method,
          signal,
          redirect: 'error', // a redirect would carry the token to wherever it says
          headers: {
            accept: 'application/json',
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...authorization,
            ...request.headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          ...(upload === undefined ? {} : { body: upload, duplex: 'half' as const }),
        }),
      caller,
    );
    if (response.ok || alsoFine.includes(response.status)) return response;
    const { status, statusText } = response;
    throw problemOf({ status, statusText, text: await response.text().catch(() => '') }, path);
  }

  private async orUnreachable<T>(work: () => Promise<T>, caller: AbortSignal | undefined): Promise<T> {
    try {
      return await work();
    } catch (error) {
      caller?.throwIfAborted();
      const url = this.options.baseUrl;
      throw new ApiError('unreachable', 'unreachable', `${url} does not answer: ${why(error)}`, { cause: error });
    }
  }
}

/** What a call of an endpoint sends; a body is JSON unless the endpoint takes a file. */
export function requestTo<const E extends Endpoint>(endpoint: E, sent: Sent<E>): Request {
  const { body } = sent as { readonly body?: unknown };
  return {
    method: endpoint.method,
    path: urlOf(endpoint, sent as { readonly params?: unknown; readonly query?: unknown }),
    withoutToken: endpoint.scope === 'nothing',
    ...(typeof endpoint.body === 'string'
      ? { upload: body as ReadableStream<Uint8Array>, headers: { 'content-type': endpoint.body } }
      : { body }),
    ...(endpoint.timeoutMs === undefined ? {} : { timeoutMs: endpoint.timeoutMs }),
    ...(endpoint.alsoFine === undefined ? {} : { alsoFine: endpoint.alsoFine }),
  };
}

function feed(parser: { feed: (chunk: string) => void }, chunk: string): void {
  try {
    parser.feed(chunk);
  } catch (error) {
    throw new ApiError('unreadable', 'unreadable_answer', 'The server sent an event that is too long', {
      cause: error,
    });
  }
}

/** What aborted the request instead of that it was aborted. */
async function orReason<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await work;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

interface Refusal {
  readonly status: number;
  readonly statusText: string;
  readonly text: string;
}

function problemOf({ status, statusText, text }: Refusal, path: string): ApiError {
  const parsed = Problem.safeParse(parseJson(text));
  if (!parsed.success) {
    const message = `${path} answered ${status} ${statusText}; is this the address of aish?`;
    return new ApiError('answered', `http_${status}`, message, { status });
  }
  const { type: _type, title, status: _status, code, detail, ...facts } = parsed.data;
  const faults = (parsed.data.errors ?? []).map((fault) => `${fault.path}: ${fault.message}`);
  const message = [detail ?? title, ...faults.filter((fault) => !(detail ?? '').includes(fault))].join('; ');
  return new ApiError('answered', code, message, { status, facts });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // no schema accepts it, and the caller says where it came from
  }
}

function why(error: unknown): string {
  const { message, cause } = error as Partial<Error>;
  if (message === TOO_LONG) return TOO_LONG;
  // fetch says only that it failed; what happened is its cause.
  const { message: detail = '', code = '' } = (cause ?? error) as Partial<NodeJS.ErrnoException>;
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host';
  // Node tries each address of a name and then has one error for all of them, without a text.
  return detail === '' ? code : detail;
}

interface StreamRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

/**
 * Sends a request whose answer stays open. Not by fetch, which wakes twice a second to look whether the answer has
 * fallen silent; we have a timer of our own for that.
 * @throws the error of the socket, or of the abortion of `signal`; the same while the answer is read.
 */
async function openStream(
  url: string,
  { method, headers, body }: StreamRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http');
  return new Promise((resolve, reject) => {
    request(url, { method, headers, signal }, resolve)
      .on('error', reject)
      .end(body ?? undefined);
  });
}
