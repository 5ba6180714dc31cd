import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventBody, LiveBody } from '@aish/contracts/events';
import type { Goal } from '@aish/contracts/goals';
import { VERSION } from '@aish/contracts/health';

const SESSION = '00000000-0000-4000-8000-000000000001';
/** The real api uses the same interval. */
const HEARTBEAT_MS = 15_000;
const AT = '2026-11-21T00:00:00.000Z';

const READY = { preset: 'fast', baseUrl: 'http://m', model: 'bench', state: 'ready', detail: null, demo: false };

/** Implements the parts of the api that the terminal UI needs for a chat, with answers at a chosen speed. */
export interface ScriptedApi {
  readonly url: string;
  /** Sends a stored event to all followers of the session. */
  readonly happen: (body: EventBody) => void;
  readonly live: (body: LiveBody) => void;
  /** Sets the list of goals, newest first, and announces the change. */
  readonly goals: (goals: readonly Goal[]) => void;
  /** Cuts every connection, as a network failure would. A client that reconnects receives the events that it missed. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
}

export async function startScriptedApi(): Promise<ScriptedApi> {
  const followers = new Set<ServerResponse>();
  const streams = new Set<ServerResponse>();
  const beat = setInterval(() => {
    for (const stream of streams) stream.write(': here\n\n');
  }, HEARTBEAT_MS);
  const sent: string[] = [];
  const listeners = new Set<ServerResponse>();
  let goals: readonly Goal[] = [];
  const send = (text: string): void => {
    for (const follower of followers) follower.write(text);
  };
  const happen = (body: EventBody): void => {
    const seq = sent.length + 1;
    const data = JSON.stringify({ sessionId: SESSION, seq, at: AT, body });
    sent.push(`id: ${seq}\nevent: ${body.type}\ndata: ${data}\n\n`);
    send(sent.at(-1) ?? '');
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
    archived: false,
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
      if (route.endsWith('/events')) {
        for (const missed of sent.slice(Number(request.headers['last-event-id'] ?? 0))) response.write(missed);
        followers.add(response);
      }
      if (route.endsWith('/notices')) listeners.add(response);
      streams.add(response);
      request.on('close', () => {
        followers.delete(response);
        listeners.delete(response);
        streams.delete(response);
      });
      return;
    }
    // A client would ask again and again for a model that is not ready.
    if (route === 'GET /v1/models') return json({ items: [READY] });
    if (route === 'GET /v1/goals') return json({ items: goals });
    return json({ items: [] });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    happen,
    live: (body) => send(`event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`),
    goals: (next) => {
      goals = next;
      const notice = { type: 'events', sessionId: SESSION, seq: sent.length, goalId: null, types: ['step.started'] };
      for (const listener of listeners) listener.write(`event: events\ndata: ${JSON.stringify(notice)}\n\n`);
    },
    cut: () => {
      for (const stream of streams) stream.destroy();
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(beat);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
