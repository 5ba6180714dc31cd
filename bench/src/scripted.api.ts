import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import { VERSION } from '@aish/contracts/health';

const SESSION = '00000000-0000-4000-8000-000000000001';
/** As often as the api itself. */
const HEARTBEAT_MS = 15_000;
const AT = '2026-11-21T00:00:00.000Z';

const READY = { preset: 'fast', baseUrl: 'http://m', model: 'bench', state: 'ready', detail: null, rehearsal: false };

/** As much of the api as the terminal UI needs to chat, with answers at a speed of our choice. */
export interface ScriptedApi {
  readonly url: string;
  /** Sends a stored event to whoever follows the session. */
  readonly happen: (body: EventBody) => void;
  readonly live: (body: LiveBody) => void;
  readonly close: () => Promise<void>;
}

export async function startScriptedApi(): Promise<ScriptedApi> {
  const followers = new Set<ServerResponse>();
  const streams = new Set<ServerResponse>();
  const beat = setInterval(() => {
    for (const stream of streams) stream.write(': here\n\n');
  }, HEARTBEAT_MS);
  let seq = 0;
  const send = (text: string): void => {
    for (const follower of followers) follower.write(text);
  };
  const happen = (body: EventBody): void => {
    seq += 1;
    const data = JSON.stringify({ sessionId: SESSION, seq, at: AT, body });
    send(`id: ${seq}\nevent: ${body.type}\ndata: ${data}\n\n`);
  };
  const session = {
    id: SESSION,
    number: 1,
    kind: 'chat',
    title: 'bench',
    state: 'idle',
    preset: 'fast',
    autoContinue: true,
    confirmCommands: true,
    goalNumber: null,
    goalState: null,
    forkedFrom: null,
    turns: 0,
    owner: 'bench',
    createdAt: AT,
    updatedAt: AT,
  };
  const server = createServer((request, response) => {
    const route = `${request.method ?? ''} ${(request.url ?? '').split('?')[0] ?? ''}`;
    const json = (value: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (route === 'GET /v1/health') return json({ status: 'ok', version: VERSION, checks: {} });
    if (route === 'POST /v1/sessions') return json(session);
    if (route.endsWith('/events') || route.endsWith('/notices') || route.endsWith('/messages')) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': here\n\n');
      if (route.endsWith('/events')) followers.add(response);
      streams.add(response);
      request.on('close', () => {
        followers.delete(response);
        streams.delete(response);
      });
      return;
    }
    // A model that is not ready is asked after again and again.
    if (route === 'GET /v1/models') return json({ items: [READY] });
    return json({ items: [] });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    happen,
    live: (body) => send(`event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`),
    close: () =>
      new Promise((resolve) => {
        clearInterval(beat);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
