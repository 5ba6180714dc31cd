import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Handler = (response: ServerResponse, request: Recorded) => void | Promise<void>;

export interface ScriptedServer {
  readonly url: string;
  readonly requests: readonly Recorded[];
  /**
   * Sets the handlers of a route, such as `GET /v1/goals`. Several handlers are used one after another, and the last
   * one is repeated.
   */
  readonly on: (route: string, ...handlers: readonly Handler[]) => void;
  readonly close: () => Promise<void>;
}

/** A real HTTP server that gives the responses of a spec, including broken ones. */
export async function startScriptedServer(): Promise<ScriptedServer> {
  const routes = new Map<string, Handler[]>();
  const requests: Recorded[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      const path = new URL(request.url ?? '/', 'http://x').pathname;
      const recorded = { method: request.method ?? '', path: request.url ?? '', headers: request.headers, body };
      requests.push(recorded);
      const handlers = routes.get(`${recorded.method} ${path}`) ?? [];
      const handler = handlers.length > 1 ? handlers.shift() : handlers[0];
      if (handler === undefined) void problem(404, 'not_found', `no ${path}`)(response, recorded);
      else void handler(response, recorded);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    on: (route, ...handlers) => void routes.set(route, [...handlers]),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function json(value: unknown, status = 200): Handler {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };
}

export function problem(status: number, code: string, detail: string, facts: object = {}): Handler {
  return (response) => {
    const body = { type: `urn:aish:problem:${code}`, title: code, status, code, detail, ...facts };
    response.writeHead(status, { 'content-type': 'application/problem+json' }).end(JSON.stringify(body));
  };
}

export interface Sent {
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

/** Sends these events, then ends the stream, breaks the connection, or leaves it open. */
export function stream(events: readonly Sent[], then: 'end' | 'break' | 'stay'): Handler {
  return (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': hello\n\n');
    for (const { id, event, data } of events) {
      const head = id === undefined ? '' : `id: ${id}\n`;
      response.write(`${head}event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
    }
    if (then === 'end') response.end();
    // The delay lets the data arrive before the connection breaks.
    if (then === 'break') setTimeout(() => response.destroy(), 30);
  };
}
