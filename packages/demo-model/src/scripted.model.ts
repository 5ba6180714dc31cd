import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ChatBody, type ScriptedMessage } from './chat.body.js';
import { sendReply, type Reply } from './reply.js';

/**
 * Returns the model's reply to the messages. It is called once per request.
 *
 * @param n the number of earlier requests: 0 for the first.
 */
export type Script = (messages: readonly ScriptedMessage[], n: number) => Reply;

export interface RecordedRequest {
  /** When the request arrived, in milliseconds since the epoch, with fractions. */
  readonly at: number;
  /** When the reply was complete or the client had disconnected. */
  readonly endedAt: number | null;
  readonly messages: readonly ScriptedMessage[];
  /** The whole body, unchanged. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The state of the request. `left` means that the client closed the connection before the reply was complete. */
  readonly state: 'open' | 'answered' | 'left';
}

export interface ScriptedModel {
  /** The URL without a path, as presets expect it. */
  readonly url: string;
  /** The last 1000 chat requests, oldest first. */
  readonly requests: readonly RecordedRequest[];
  /** Cuts open connections and stops listening. */
  close(): Promise<void>;
}

export interface ScriptedModelOptions {
  readonly script: Script;
  /** The ID in /v1/models and in every frame. */
  readonly model?: string;
  readonly host?: string;
  /** The port. The default 0 uses a free port. */
  readonly port?: number;
  /** Overrides the tempo of the replies. With `Infinity` they are as fast as possible. */
  readonly tokensPerSecond?: number;
  /** Whether a streamed answer is cut at the `max_tokens` of its request, including thoughts. */
  readonly cutsAtLimit?: boolean;
}

const REQUESTS_KEPT = 1_000;
const BODY_MAX_BYTES = 16 * 1024 * 1024;

/**
 * Starts a small OpenAI-compatible server whose answers come from a script, using only node:http. It streams like
 * llama.cpp: role frame, content, finish reason, usage, `[DONE]`.
 *
 * @throws the error of `listen`, for example EADDRINUSE.
 */
export async function startScriptedModel(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const { script, model = 'scripted', host = '127.0.0.1', port = 0 } = options;
  const requests: Recorded[] = [];
  let count = 0;

  const chat = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const text = await readBody(request);
    if (text === undefined) return sendError(response, 413, 'invalid_request_error', 'The request body is too large');
    const parsed = parseChat(text);
    if ('fault' in parsed) return sendError(response, 400, 'invalid_request_error', parsed.fault);
    const record: Recorded = {
      at: now(),
      endedAt: null,
      messages: parsed.body.messages,
      body: parsed.body,
      state: 'open',
    };
    requests.push(record);
    if (requests.length > REQUESTS_KEPT) requests.shift();
    const left = new AbortController();
    response.once('close', () => {
      record.endedAt = now();
      record.state = response.writableFinished ? 'answered' : 'left';
      left.abort();
    });
    const reply = script(parsed.body.messages, count++);
    const { tokensPerSecond, cutsAtLimit = false } = options;
    return sendReply(response, reply, {
      model,
      request: parsed.body,
      signal: left.signal,
      cutsAtLimit,
      ...(tokensPerSecond === undefined ? {} : { tokensPerSecond }),
    });
  };

  const server = http.createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    if (request.method === 'POST' && path === '/v1/chat/completions') {
      chat(request, response).catch((error: unknown) => fail(response, error));
    } else if (request.method === 'GET' && path === '/health') {
      sendJson(response, 200, { status: 'ok' });
    } else if (request.method === 'GET' && path === '/v1/models') {
      const entry = { id: model, object: 'model', created: Math.floor(Date.now() / 1000), owned_by: 'aish' };
      sendJson(response, 200, { object: 'list', data: [entry] });
    } else {
      sendError(response, 404, 'not_found_error', 'File Not Found');
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    requests,
    close: () => close(server),
  };
}

/** Returns the time from a clock that all processes of a machine share. It is more precise than Date.now. */
function now(): number {
  return performance.timeOrigin + performance.now();
}

interface Recorded extends RecordedRequest {
  endedAt: number | null;
  state: RecordedRequest['state'];
}

function parseChat(text: string): { body: ChatBody } | { fault: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { fault: String(error) };
  }
  const parsed = ChatBody.safeParse(value);
  return parsed.success
    ? { body: parsed.data }
    : { fault: parsed.error.issues.map((issue) => issue.message).join('; ') };
}

/**
 * Reads the body; undefined if it is too long. The rest is then read and dropped, so that the client gets the response.
 */
async function readBody(request: http.IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = [];
  let sizeBytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    sizeBytes += piece.length;
    if (sizeBytes <= BODY_MAX_BYTES) pieces.push(piece);
  }
  return sizeBytes > BODY_MAX_BYTES ? undefined : Buffer.concat(pieces).toString('utf8');
}

function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

function sendError(response: http.ServerResponse, status: number, type: string, message: string): void {
  sendJson(response, status, { error: { code: status, message, type } });
}

/** Reports the error of a script. A client that disconnected gets nothing. */
function fail(response: http.ServerResponse, error: unknown): void {
  if (response.destroyed) return;
  if (response.headersSent) response.destroy();
  else sendError(response, 500, 'server_error', String(error));
}

async function close(server: http.Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
