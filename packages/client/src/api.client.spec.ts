import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import { goalsApi } from '@aish/contracts/endpoints/goals';
import { healthApi } from '@aish/contracts/endpoints/server';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { SessionEvent } from '@aish/contracts/events';
import { decisionOf, eventOf, goalOf, uuid } from './testing/fixtures.js';
import {
  json,
  problem,
  startScriptedServer,
  stream,
  type ScriptedServer,
  type Sent,
} from './testing/scripted.server.js';
import { ApiClient } from './api.client.js';
import { ApiError } from './api.error.js';

const session = uuid(1001);
const route = `GET /v1/sessions/${session}/events`;
const stepStarted = (step: number) => eventOf(step, { type: 'step.started', goalId: uuid(1), step, stepBudget: 16 });
const sent = (event: SessionEvent): Sent => ({ id: event.seq, event: event.body.type, data: event });
const delta = { type: 'model.delta', goalId: uuid(1), step: 1, text: 'hi' } as const;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let server: ScriptedServer;
let client: ApiClient;
let stop: AbortController;

beforeEach(async () => {
  server = await startScriptedServer();
  client = clientWith({ timeoutMs: 10_000, streamIdleMs: 10_000 });
  stop = new AbortController();
});

afterEach(async () => {
  stop.abort();
  await server.close();
});

function clientWith(patience: { readonly timeoutMs: number; readonly streamIdleMs: number }): ApiClient {
  return new ApiClient({ baseUrl: server.url, readToken: async () => 'aish_secret', ...patience });
}

async function failure(act: Promise<unknown>): Promise<ApiError> {
  const error = await act.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error('no ApiError', { cause: error });
}

/** Returns the first `count` items of the stream: sequence numbers, live text, and states of connections. */
async function collect(count: number): Promise<unknown[]> {
  const items: unknown[] = [];
  for await (const followed of client.followSession(session, stop.signal)) {
    if (followed.type !== 'item') items.push(followed.type);
    else if (followed.item.type === 'event') items.push(followed.item.event.seq);
    else items.push(followed.item.type === 'live' ? followed.item.body : followed.item.type);
    if (items.length === count) stop.abort();
  }
  return items;
}

describe('responses', () => {
  it('a request sends the token and the body, and returns the parsed response', async () => {
    server.on('POST /v1/goals', json(goalOf(4), 201));
    expect(await client.call(goalsApi.create, { body: { text: 'x', stepBudget: 3 } })).toEqual(goalOf(4));
    expect(server.requests[0]).toMatchObject({
      headers: { authorization: 'Bearer aish_secret', 'content-type': 'application/json' },
      body: '{"text":"x","stepBudget":3}',
    });
  });

  it('the health request sends no token and accepts the status 503', async () => {
    const health = { status: 'down', version: '1', checks: { database: { ok: false, detail: 'gone' } } };
    server.on('GET /v1/health', json(health, 503));
    expect(await client.call(healthApi.check, {})).toEqual(health);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  it('the error of a refused request contains the code and facts of the problem', async () => {
    const path = `POST /v1/decisions/${uuid(2001)}/verdict`;
    server.on(path, problem(409, 'decision_taken', 'skip by ann', { verdict: 'skip', decidedBy: 'ann' }));
    const error = await failure(
      client.call(decisionsApi.decide, { params: { ref: uuid(2001) }, body: { verdict: 'proceed' } }),
    );
    expect(error).toMatchObject({
      kind: 'answered',
      code: 'decision_taken',
      status: 409,
      message: 'skip by ann',
      facts: { verdict: 'skip', decidedBy: 'ann' },
    });
  });

  it('an error contains the code of a problem even if the client does not know the code', async () => {
    server.on('GET /v1/goals', problem(418, 'teapot_of_tomorrow', 'short and stout'));
    expect(await failure(client.call(goalsApi.list, {}))).toMatchObject({
      code: 'teapot_of_tomorrow',
      isUnauthorised: false,
    });
  });

  it.each([401, 403])('an error with status %i is marked as unauthorised', async (status) => {
    server.on('GET /v1/goals', problem(status, 'x', 'no'));
    expect((await failure(client.call(goalsApi.list, {}))).isUnauthorised).toBe(true);
  });

  it('a response that is not a valid aish response is reported as an error', async () => {
    server.on('GET /v1/goals', (response) => void response.writeHead(502).end('<html>Bad gateway</html>'));
    expect(await failure(client.call(goalsApi.list, {}))).toMatchObject({
      kind: 'answered',
      code: 'http_502',
      isTransient: true,
    });
    server.on('GET /v1/goals', json({ items: [{ nonsense: true }] }));
    expect(await failure(client.call(goalsApi.list, {}))).toMatchObject({
      kind: 'unreadable',
      message: expect.stringContaining('items.0'),
    });
    server.on('GET /v1/goals', (response) => void response.writeHead(200).end('{"items": ['));
    expect(await failure(client.call(goalsApi.list, {}))).toMatchObject({ kind: 'unreadable' });
  });

  it('the token is never sent to the target of a redirect', async () => {
    server.on('GET /v1/goals', (response) => void response.writeHead(302, { location: `${server.url}/stolen` }).end());
    expect(await failure(client.call(goalsApi.list, {}))).toMatchObject({ kind: 'unreachable' });
    expect(server.requests).toHaveLength(1);
  });

  it('a request fails if the server does not answer or closes the connection', async () => {
    server.on('GET /v1/goals', () => undefined);
    expect(await failure(clientWith({ timeoutMs: 400, streamIdleMs: 10_000 }).call(goalsApi.list, {}))).toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('too long'),
    });
    server.on('GET /v1/goals', (response) => void response.destroy());
    expect(await failure(client.call(goalsApi.list, {}))).toMatchObject({ kind: 'unreachable' });
    await server.close();
    expect(await failure(client.call(goalsApi.list, {}))).toMatchObject({
      message: expect.stringMatching(/refused|closed/),
    });
  });

  it('a request fails at once when it is aborted', async () => {
    server.on('GET /v1/goals', () => undefined);
    const listing = client.call(goalsApi.list, {}, stop.signal);
    stop.abort(new Error('enough'));
    await expect(listing).rejects.toThrow('enough');
  });
});

describe('the stream of a session', () => {
  it('the stream of a session delivers events and live text in order', async () => {
    server.on(
      route,
      stream([sent(stepStarted(1)), { event: 'model.delta', data: delta }, sent(stepStarted(2))], 'stay'),
    );
    expect(await collect(4)).toEqual(['open', 1, delta, 2]);
  });

  it('the stream resumes from its last event after a broken connection, and repeats nothing', async () => {
    server.on(
      route,
      stream([sent(stepStarted(1)), sent(stepStarted(2))], 'break'),
      problem(503, 'service_stopping', 'restarting'),
      stream([sent(stepStarted(2)), sent(stepStarted(3))], 'stay'),
    );
    expect(await collect(7)).toEqual(['open', 1, 2, 'lost', 'lost', 'open', 3]);
    expect(server.requests.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, '2', '2']);
  });

  it('the stream connects again after the server ended the response', async () => {
    server.on(route, stream([sent(stepStarted(1))], 'end'), stream([], 'stay'));
    expect(await collect(4)).toEqual(['open', 1, 'lost', 'open']);
  });

  it('the stream joins events that arrive in pieces, and reports events that it cannot parse as unknown', async () => {
    server.on(route, (response) => {
      const text = `id: 1\nevent: x\ndata: ${JSON.stringify(stepStarted(1))}\n\nid: 2\nevent: goal.teleported\ndata: {}\n\nevent: y\ndata: {broken\n\n`;
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(text.slice(0, 50));
      setTimeout(() => response.write(text.slice(50)), 20);
    });
    expect(await collect(4)).toEqual(['open', 1, 'unknown', 'unknown']);
  });

  it('the stream drops a connection that is silent for too long', async () => {
    client = clientWith({ timeoutMs: 10_000, streamIdleMs: 300 });
    server.on(route, stream([sent(stepStarted(1))], 'stay'));
    expect((await collect(3)).slice(0, 3)).toEqual(['open', 1, 'lost']);
  });

  it('the stream fails without a retry if the session does not exist', async () => {
    server.on(route, problem(404, 'not_found', 'no such session'));
    expect(await failure(collect(9))).toMatchObject({ code: 'not_found' });
    expect(server.requests).toHaveLength(1);
  });

  it('the stream closes its connection when the reader stops, even after a garbage collection', async () => {
    const closed = new Promise<void>((resolve) => {
      server.on(route, (response, request) => {
        response.on('close', resolve);
        void stream([sent(stepStarted(1))], 'stay')(response, request);
      });
    });
    const patient = new ApiClient({ baseUrl: server.url, readToken: async () => 'x' });
    const items = patient.followSession(session, stop.signal);
    expect([(await items.next()).value, (await items.next()).value]).toMatchObject([
      { type: 'open' },
      { type: 'item' },
    ]);
    const next = items.next();
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    stop.abort();
    expect(await next).toMatchObject({ done: true });
    await closed;
  });
});

describe('notices', () => {
  it('the stream of notices connects again after a refusal if requested', async () => {
    const notice = { type: 'events', sessionId: session, seq: 3, goalId: uuid(1), types: ['goal.changed'] };
    server.on(
      'GET /v1/notices',
      problem(401, 'unauthorized', 'unknown token'),
      stream([{ event: 'events', data: notice }], 'stay'),
    );
    const seen: unknown[] = [];
    for await (const followed of client.followNotices({ signal: stop.signal, stubborn: true })) {
      seen.push(followed.type === 'item' ? followed.item.notice.types : followed.type);
      if (seen.length === 3) stop.abort();
    }
    expect(seen).toEqual(['lost', 'open', ['goal.changed']]);
  });
});

describe('a decision', () => {
  it('a decision is read and answered by its number', async () => {
    server.on('GET /v1/decisions/17', json(decisionOf(17)));
    server.on('POST /v1/decisions/17/verdict', json(decisionOf(17, { state: 'decided', verdict: 'skip' })));
    expect((await client.call(decisionsApi.show, { params: { ref: '17' } })).number).toBe(17);
    await client.call(decisionsApi.decide, { params: { ref: '17' }, body: { verdict: 'skip', message: 'keep it' } });
    expect(server.requests[1]?.body).toBe('{"verdict":"skip","message":"keep it"}');
  });
});
