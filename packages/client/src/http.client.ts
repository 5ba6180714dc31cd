import { urlOf, type Answer, type Endpoint, type Sent } from '@aish/contracts/endpoint';
import type { Problem } from '@aish/contracts/problem-document';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ApiError } from './api.error.js';
import { linkAbort } from './linked-abort.js';

export interface HttpClientOptions {
  readonly baseUrl: string;
  /** Headers that prove who asks, for each request that needs them. */
  readonly credentials: (request: Request) => Promise<Readonly<Record<string, string>>>;
  /** Default: the fetch of the browser, or of Node. */
  readonly fetch?: Fetch;
  /** For an answer that stays open. Default: as `fetch`. */
  readonly openStream?: Fetch;
  /** Time for a whole answer, milliseconds. */
  readonly timeoutMs?: number;
  /** Silence after which a stream counts as lost, milliseconds; the server sends a heartbeat every 15 s. */
  readonly streamIdleMs?: number;
}

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

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

/**
 * HTTP as the api speaks it: calls of endpoints, problem documents as ApiError, server-sent events. It runs in a browser
 * and in Node, and needs no schemas: a page trusts the answers of the api that served it.
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

  /** Calls an endpoint that answers with JSON, or with nothing. @throws ApiError; the signal's reason when it is aborted. */
  async call<const E extends Endpoint>(endpoint: E, sent: Sent<E>, signal?: AbortSignal): Promise<Answer<E>> {
    const request = requestTo(endpoint, sent);
    const text = await this.text(request, signal);
    const data = text === '' ? undefined : parseJson(text);
    if (text !== '' && data === undefined) throw unreadable(request.path);
    return this.checked(endpoint, data, request.path) as Answer<E>;
  }

  /** The data of an answer, as it was declared. @throws ApiError */
  protected checked(_endpoint: Endpoint, data: unknown, _path: string): unknown {
    return data;
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
      redirect: 'error', // a redirect would carry the token to wherever it says
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
      throw new ApiError('unreachable', 'unreachable', `${url} does not answer: ${why(error)}`, { cause: error });
    }
  }
}

/** What a call of an endpoint sends; a body is JSON unless the endpoint takes a file. */
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
    `The answer of ${path} is not what aish ${where === '' ? 'expects' : `expects (at ${where})`}; ` +
      'client and server may be of different versions',
  );
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
  const { message: detail = '', code = '' } = (cause ?? error) as Partial<Error & { code: string }>;
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no such host';
  // Node tries each address of a name and then has one error for all of them, without a text.
  return detail === '' ? code : detail;
}
