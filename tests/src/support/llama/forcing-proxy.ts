import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Fields that are added to a chat request on its way to llama-server. */
export type Fields = Readonly<Record<string, unknown>>;

export interface ForcingProxy {
  /** The URL without a path, as presets need it. */
  readonly url: string;
  /** The chat requests as the program under test sent them. */
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export interface ForcingProxyOptions {
  /** The URL of the llama-server. */
  readonly target: string;
  /**
   * Fields to add to each chat request: a list, or a function of the request and its number (from 0). Undefined adds
   * nothing. When a list is used up, further requests are refused, so that a test notices.
   */
  readonly force:
    | readonly (Fields | undefined)[]
    | ((body: Readonly<Record<string, unknown>>, n: number) => Fields | undefined);
}

/** Makes the model answer exactly `text` (without \b and \f). This does not work together with tools. */
export function exactly(text: string): Fields {
  return { grammar: `root ::= ${JSON.stringify(text)}` };
}

const REQUESTS_KEPT = 1_000;

/**
 * Starts a proxy between a program under test and a llama-server. It forces the model's answers. Everything else passes
 * unchanged: streams pass piece by piece, and a client that disconnects closes the connection to the server.
 */
export async function startForcingProxy({ target, force }: ForcingProxyOptions): Promise<ForcingProxy> {
  const requests: Readonly<Record<string, unknown>>[] = [];
  let count = 0;

  /** Returns the body to forward, or undefined if the list is used up. */
  const forced = (text: string): string | undefined => {
    const body = JSON.parse(text) as Record<string, unknown>;
    const n = count++;
    requests.push(body);
    if (requests.length > REQUESTS_KEPT) requests.shift();
    if (typeof force !== 'function' && n >= force.length) return undefined;
    return JSON.stringify({ ...body, ...(typeof force === 'function' ? force(body, n) : force[n]) });
  };

  const handle = async (request: http.IncomingMessage, response: http.ServerResponse): Promise<void> => {
    const text = await readAll(request);
    const isChat = request.method === 'POST' && request.url?.startsWith('/v1/chat/completions') === true;
    const body = isChat ? forced(text) : text;
    if (body === undefined) refuse(response, 400, `The proxy's list ended after ${count - 1} requests`);
    else sendOn(target, request, response, body);
  };
  const server = http.createServer((request, response) => {
    handle(request, response).catch((error: unknown) => refuse(response, 400, String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function sendOn(target: string, from: http.IncomingMessage, to: http.ServerResponse, body: string): void {
  const { host: _, 'content-length': __, 'transfer-encoding': ___, connection: ____, ...headers } = from.headers;
  const url = new URL(from.url ?? '/', target);
  const request = http.request(url, { method: from.method ?? 'GET', headers, agent: false }, (answer) => {
    const { connection: _____, ...answered } = answer.headers;
    to.writeHead(answer.statusCode ?? 502, answered);
    to.flushHeaders();
    answer.on('error', () => to.destroy()); // the server's connection broke, so the client's must break too
    answer.pipe(to);
  });
  request.on('error', (error) => refuse(to, 502, error.message));
  to.once('close', () => request.destroy());
  request.end(body);
}

function refuse(response: http.ServerResponse, status: number, message: string): void {
  if (response.destroyed) return;
  if (response.headersSent) {
    response.destroy();
    return;
  }
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code: status, message, type: 'proxy_error' } }));
}

async function readAll(request: http.IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
