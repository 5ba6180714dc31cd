import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { AishError } from '@aish/contracts/problems';
import type { Deadline } from './deadline.js';
import { badStream } from './refusal.js';

export interface ExchangeOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: string;
  readonly apiKey: string | null;
  /** The body, sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly connectTimeoutMs: number;
  /** The same request, prepared earlier and not sent yet. It can be used only once. */
  readonly ahead?: http.ClientRequest | null;
}

/**
 * The delay before TCP probes start. A queued request is silent for a long time, and the probes detect an endpoint that
 * lost power.
 */
export const KEEP_ALIVE_AFTER_MS = 30_000;

/**
 * Sends one request on its own connection and waits for the response head, as long as `deadline` allows. When the
 * deadline fires or is closed, the connection closes.
 *
 * This uses node:http and not `fetch`. A request that waits for a slot of llama.cpp receives nothing, not even headers,
 * while other requests run. fetch gives up after 300 s, and Node 20 cannot change that without a second undici.
 * node:http also reports exactly when the connection is established. No agent keeps connections: the server closes
 * after each stream, and a reused connection fails with ECONNRESET.
 *
 * @throws AishError `model_unreachable` if nothing was received; `model_timeout`; `aborted`.
 */
export async function exchange(options: ExchangeOptions, deadline: Deadline): Promise<http.IncomingMessage> {
  const { signal } = deadline;
  if (signal.aborted) {
    // Nothing else handles this request now, and an unhandled error would end the process.
    options.ahead?.on('error', () => undefined).destroy();
    throw signal.reason;
  }
  const request = options.ahead ?? requestFor({ ...options, hasBody: options.body !== undefined }, { agent: false });
  const { origin } = new URL(options.url);
  const onAbort = (): void => void request.destroy();
  signal.addEventListener('abort', onAbort, { once: true });
  request.once('close', () => signal.removeEventListener('abort', onAbort));
  const connecting = deadline.start('connect', options.connectTimeoutMs);
  const onSocket = (socket: Socket): void => {
    if (request === options.ahead && !socket.connecting) connecting.stop();
    else socket.once(options.url.startsWith('https:') ? 'secureConnect' : 'connect', () => connecting.stop());
    // A request that was prepared earlier has this setting already.
    if (request !== options.ahead) socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
  };
  if (request.socket === null) request.once('socket', onSocket);
  else onSocket(request.socket);
  try {
    return await new Promise((resolve, reject) => {
      request.once('response', resolve);
      // The listener must not be `once`: a second error, after the first or after the answer, must not end the process.
      request.on('error', (error: NodeJS.ErrnoException) => {
        reject(signal.aborted ? (signal.reason as Error) : failure(error, request, origin));
      });
      for (const [name, value] of Object.entries(options.headers ?? {})) request.setHeader(name, value);
      request.end(options.body === undefined ? undefined : JSON.stringify(options.body));
    });
  } finally {
    connecting.stop();
  }
}

/**
 * Returns the body as it arrives. Silence longer than `idleTimeoutMs` fires the deadline. Time that the reader spends
 * between two pieces does not count.
 */
export function bodyOf(
  response: http.IncomingMessage,
  idleTimeoutMs: number,
  deadline: Deadline,
): AsyncIterableIterator<Uint8Array, void> {
  let wake = (): void => undefined;
  let failure: unknown = null;
  const onFailure = (error?: unknown): void => {
    failure ??= error ?? cut();
    wake();
  };
  const onReadable = (): void => wake();
  response.on('readable', onReadable).on('end', onReadable).on('error', onFailure);
  response.once('close', () => (response.readableEnded ? wake() : onFailure()));
  const untilMore = async (): Promise<void> => {
    const idle = deadline.start('idle', idleTimeoutMs);
    await new Promise<void>((resolve) => (wake = resolve));
    idle.stop();
  };
  const next = async (): Promise<IteratorResult<Uint8Array, void>> => {
    for (;;) {
      const piece = response.read() as Uint8Array | null;
      if (piece !== null) return { done: false, value: piece };
      if (deadline.signal.aborted) throw deadline.signal.reason;
      if (response.readableEnded) return { done: true, value: undefined };
      if (failure !== null || response.destroyed) throw failure ?? cut();
      await untilMore();
    }
  };
  // This uses neither the stream's iterator nor a generator, because every token passes through here and each stage
  // costs time.
  return {
    next,
    return: async () => {
      response.destroy();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function cut(): Error {
  return new Error('The connection was closed before the end of the answer');
}

/**
 * Returns the start of a body as text, at most `maxBytes`. It does not read the rest. If the connection is cut, it
 * returns the text received so far.
 */
export async function textOf(
  response: http.IncomingMessage,
  maxBytes: number,
  idleTimeoutMs: number,
  deadline: Deadline,
): Promise<string> {
  const pieces: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const piece of bodyOf(response, idleTimeoutMs, deadline)) {
      pieces.push(piece);
      sizeBytes += piece.length;
      if (sizeBytes >= maxBytes) break;
    }
  } catch (error) {
    // The status says what happened, so half of the explanation is better than none.
    if (deadline.signal.aborted) throw error;
  }
  return Buffer.concat(pieces).subarray(0, maxBytes).toString('utf8');
}

/**
 * Creates a request that is not sent yet.
 *
 * @param way `createConnection` without an agent makes Node use exactly that connection.
 */
export function requestFor(
  { url, method, apiKey, hasBody }: Pick<ExchangeOptions, 'url' | 'method' | 'apiKey'> & { readonly hasBody: boolean },
  way: Pick<http.RequestOptions, 'agent' | 'createConnection'>,
): http.ClientRequest {
  const send = url.startsWith('https:') ? https.request : http.request;
  const headers = {
    accept: 'text/event-stream, application/json',
    ...(!hasBody ? {} : { 'content-type': 'application/json' }),
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return send(url, { method, headers, ...way });
}

function failure(error: NodeJS.ErrnoException, request: http.ClientRequest, origin: string): AishError {
  if ((request.socket?.bytesRead ?? 0) > 0) {
    return badStream(`${origin} did not answer with HTTP (${error.code ?? error.message})`, { cause: error });
  }
  const message = `The model endpoint ${origin} cannot be reached (${error.code ?? error.message})`;
  return new AishError('model_unreachable', message, { reason: error.code ?? null }, { cause: error });
}
