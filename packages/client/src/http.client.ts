import { urlOf, type Answer, type Endpoint, type Sent } from '@aish/contracts/endpoint';
import type { Problem } from '@aish/contracts/problem-document';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError } from './api.error.js';
import { linkAbort } from './linked-abort.js';

export interface HttpClientOptions {
  readonly baseUrl: string;
  /** Returns the headers that authenticate each request that needs them. */
  readonly credentials: (request: Request) => Promise<Readonly<Record<string, string>>>;
  /** The fetch to use. Default: the fetch of the browser, or of Node. */
  readonly fetch?: Fetch;
  /** The function for a streamed response. Default: `fetch`. */
  readonly openStream?: Fetch;
  /** Time limit in milliseconds for a whole response. */
  readonly timeoutMs?: number;
  /** Milliseconds of silence after which a stream counts as lost. The server sends a heartbeat every 15 s. */
  readonly streamIdleMs?: number;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface Request {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  /** A body that is not JSON, sent as a stream. Its type is in the headers. */
  readonly upload?: ReadableStream<Uint8Array>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly withoutToken?: boolean;
  /** Time limit in milliseconds for the whole response, if longer than usual. */
  readonly timeoutMs?: number;
  /** Statuses outside 2xx whose body is a normal response. */
  readonly alsoFine?: readonly number[];
}

/** The time limit for files in milliseconds. A file may be large and a connection slow. */
const FILE_TIMEOUT_MS = 10 * 60_000;
const TOO_LONG = 'it took too long';
const MAX_EVENT_CHARS = 16 * 1024 * 1024;

/**
 * The HTTP protocol of the api: calls of endpoints, problem documents as ApiError, server-sent events. It works in
 * browsers and in Node, and needs no schemas, because a page trusts the api that served it.
 */
export class HttpClient {
  private readonly timeoutMs: number;
  private readonly streamIdleMs: number;
  private readonly fetch: Fetch;

  constructor(private readonly options: HttpClientOptions) {
    this.timeoutMs = options.timeoutMs ?? 15_000;
    this.streamIdleMs = options.streamIdleMs ?? 45_000;
    this.fetch = options.fetch ?? ((url, init) => fetch(url, init));
  }

  /**
   * Calls an endpoint that answers with JSON or without a body.
   *
   * @throws ApiError; the signal's reason if it aborts.
   */
  async call<const E extends Endpoint>(endpoint: E, sent: Sent<E>, signal?: AbortSignal): Promise<Answer<E>> {
    const request = requestTo(endpoint, sent);
    const text = await this.text(request, signal);
    const data = text === '' ? undefined : parseJson(text);
    if (text !== '' && data === undefined) throw unreadable(request.path);
    return this.checked(endpoint, data, request.path) as Answer<E>;
  }

  /**
   * Returns the data of a response in its declared type.
   *
   * @throws ApiError
   */
  protected checked(_endpoint: Endpoint, data: unknown, _path: string): unknown {
    return data;
  }

  /**
   * Yields the events of one connection until the server ends it. The first item is `open`, when the server has
   * accepted.
   *
   * @throws ApiError, also if nothing came for `streamIdleMs`; the signal's reason if it aborts.
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
      const chunks = (response.body ?? new Blob([]).stream()).pipeThrough(new TextDecoderStream()).getReader();
      for (;;) {
        clearTimeout(timer);
        timer = hush(this.streamIdleMs);
        const chunk = await this.orUnreachable(() => orReason(chunks.read(), link.signal), signal);
        if (chunk.value === undefined) return;
        feed(parser, chunk.value);
        yield* queue.splice(0);
      }
    } finally {
      clearTimeout(timer);
      link.unlink();
      link.abort(); // This closes the connection if the reader leaves before its end.
    }
  }

  /**
   * Yields the body of a response as it arrives.
   *
   * @throws ApiError if it does not arrive completely.
   */
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

  /**
   * Sends a file.
   *
   * @throws ApiError
   */
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

  /**
   * Returns the complete response as text.
   *
   * @throws ApiError; the signal's reason if `signal` aborts.
   */
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

  private openStream(request: Request, signal: AbortSignal, caller: AbortSignal): Promise<Response> {
    const headers = { accept: 'text/event-stream', ...request.headers };
    return this.send({ ...request, headers }, signal, caller, this.options.openStream);
  }

  private async send(
    request: Request,
    signal: AbortSignal,
    caller: AbortSignal | undefined,
    send: Fetch = this.fetch,
  ): Promise<Response> {
    const { method = 'GET', path, body, upload, alsoFine = [] } = request;
    const credentials = request.withoutToken ? {} : await this.options.credentials(request);
    const init = {
      method,
      signal,
      redirect: 'error', // A redirect would send the token elsewhere.
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...credentials,
        ...request.headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(upload === undefined ? {} : { body: upload, duplex: 'half' as const }),
    } as const;
    const response = await this.orUnreachable(
      () => orReason(send(`${this.options.baseUrl}${path}`, init), signal),
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
      throw new ApiError('unreachable', 'unreachable', `${url} does not respond: ${why(error)}`, { cause: error });
    }
  }
}

/** Returns the request for a call of an endpoint. The body is JSON unless the endpoint takes a file. */
export function requestTo<const E extends Endpoint>(endpoint: E, sent: Sent<E>): Request {
  const { body } = sent as { readonly body?: unknown };
  return {
    method: endpoint.method,
    path: urlOf(endpoint, sent),
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

/** Makes the promise throw the reason of the abort instead of a general abort error. */
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
  const problem = parseJson(text);
  if (!isProblem(problem)) {
    const message = `${path} answered ${status} ${statusText}; is this the address of aish?`;
    return new ApiError('answered', `http_${status}`, message, { status });
  }
  const { type: _type, title, status: _status, code, detail, ...facts } = problem;
  const faults = (problem.errors ?? []).map((fault) => `${fault.path}: ${fault.message}`);
  const message = [detail ?? title, ...faults.filter((fault) => !(detail ?? '').includes(fault))].join('; ');
  return new ApiError('answered', code, message, { status, facts });
}

function isProblem(value: unknown): value is Problem {
  const { title, code } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof title === 'string' && typeof code === 'string';
}

export function unreadable(path: string, where = ''): ApiError {
  return new ApiError(
    'unreadable',
    'unreadable_answer',
    `The response of ${path} is not what aish ${where === '' ? 'expects' : `expects (at ${where})`}; ` +
      'client and server may have different versions',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined; // No schema accepts undefined, and the caller says where it came from.
  }
}

function why(error: unknown): string {
  const { message, cause } = error as Partial<Error>;
  if (message === TOO_LONG) return TOO_LONG;
  // fetch only says that it failed. Its cause contains the reason.
  const { message: detail = '', code = '' } = (cause ?? error) as Partial<Error & { code: string }>;
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host';
  // Node tries each address of a name and reports one error for all of them, without a text.
  return detail === '' ? code : detail;
}
