import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { startScriptedModel, type Reply, type ScriptedModel } from '@aish/demo-model';
import { insertRefusal, listRefusals } from '@aish/database/refusals.repository';
import { inTransaction } from '@aish/database/transaction';
import { TestApi, type Answer } from '../testing/test-api.js';

const HANGS: Reply = { hang: 'midStream', text: 'Half an' };

describe('chats', () => {
  let model: ScriptedModel;
  let api: TestApi;
  let reply: Reply;

  beforeAll(async () => {
    model = await startScriptedModel({ script: () => reply, tokensPerSecond: 5_000 });
    api = await TestApi.start({ FAST_BASE_URL: model.url });
  });
  afterAll(async () => {
    await api?.stop();
    await model?.close();
  });
  beforeEach(() => {
    reply = { text: 'It is odin.' };
  });

  const begin = async (body: unknown = {}): Promise<{ id: string; number: number }> =>
    (await api.ask('POST', '/v1/sessions', { body })).body;
  /** Sends a message over a real connection, because the response is a stream. */
  async function say(reference: string | number, text: string, token = api.token) {
    const response = await fetch(`${api.url}/v1/sessions/${reference}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text }),
    });
    const bodyText = await response.text();
    const types = [...bodyText.matchAll(/^event: (.+)$/gm)].map(([, type]) => type);
    return { status: response.status, types, body: response.ok ? null : JSON.parse(bodyText) };
  }
  const turns = async (reference: string | number): Promise<{ role: string; content: string }[]> =>
    (await api.ask('GET', `/v1/sessions/${reference}/turns`)).body.items;
  const code = ({ status, body }: Pick<Answer, 'status' | 'body'>) => [status, body?.code ?? null];
  /** Resolves when the chat is in this state. Waiting for 30 s means that something hangs. */
  async function until(id: string, state: string): Promise<void> {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
      if ((await api.ask('GET', `/v1/sessions/${id}`)).body.state === state) return;
    }
    throw new Error(`not ${state} within 30 s`);
  }
  /** Creates a chat whose model has sent half of its answer. `sent` is the pending response to the message. */
  async function answering() {
    const { id } = await begin();
    reply = HANGS;
    const sent = say(id, 'what is it called?');
    await until(id, 'running');
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(20)) {
      if (model.requests.some((request) => JSON.stringify(request).includes('what is it called?'))) break;
    }
    return { id, sent };
  }

  it('the stream of a message to a chat, given by number or ID, continues until the exchange ends', async () => {
    const { id, number } = await begin();
    for (const reference of [number, id]) {
      const { types } = await say(reference, 'what is the NAS called?');
      expect(types[0]).toBe('message.received');
      expect(types.at(-1)).toBe('exchange.ended');
    }
    expect((await turns(id)).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  });

  it('a request with a revoked token does not reveal which chat numbers exist', async () => {
    const { id, number } = await begin();
    const token = await api.tokenWith('operate');
    expect(code(await say(99_999, 'hello', token))).toEqual([404, 'not_found']);
    const { body } = await api.ask('GET', '/v1/tokens');
    const { name } = body.items.find(({ name: each }: { name: string }) => each.startsWith('operate-'));
    expect((await api.ask('DELETE', `/v1/tokens/${name}`)).status).toBeLessThan(300);
    for (const reference of [id, number, 99_999]) {
      expect(code(await say(reference, 'hello', token))).toEqual([401, 'unauthorized']);
    }
    expect(await turns(id)).toEqual([]);
  });

  it('people who lost access to the space cannot send messages to its chats or goal sessions', async () => {
    const token = await api.tokenWith('operate');
    const allowing = async (users: string[] | null) =>
      expect((await api.ask('PATCH', '/v1/spaces/general', { body: { users } })).status).toBe(200);
    const { id } = await begin();
    const goal = (await api.ask('POST', '/v1/goals', { body: { text: 'look around' } })).body;
    expect((await api.ask('POST', `/v1/goals/${goal.id}/cancel`)).status).toBeLessThan(300);
    expect((await say(id, 'hello', token)).status).toBe(200);
    const before = [await turns(id), await turns(goal.sessionId)];
    await allowing(['ann']);
    try {
      for (const each of [id, goal.sessionId]) {
        expect(code(await say(each, 'are you there?', token))).toEqual([403, 'forbidden']);
      }
      expect([await turns(id), await turns(goal.sessionId)]).toEqual(before);
      expect((await say(goal.sessionId, 'what was it?')).types.at(-1)).toBe('exchange.ended');
    } finally {
      await allowing(null);
    }
    expect((await say(id, 'hello', token)).status).toBe(200);
  });

  it('a chat can be stopped while the model answers, and a second stop does nothing', async () => {
    const { id, sent } = await answering();
    const stopped = await api.ask('POST', `/v1/sessions/${id}/stop`);
    expect(stopped.body).toMatchObject({ stopped: true, session: { state: 'idle' } });
    expect((await sent).types.at(-1)).toBe('exchange.ended');
    expect((await api.ask('POST', `/v1/sessions/${id}/stop`)).body).toMatchObject({ stopped: false });
  });

  it('a chat can be stopped by a request to another api', async () => {
    const { id, sent } = await answering();
    await api.bus.publish({ type: 'stop', sessionId: id, by: 'ann' });
    expect((await sent).types.at(-1)).toBe('exchange.ended');
    await until(id, 'idle');
  });

  it("a goal's session that has no chat cannot be stopped", async () => {
    const goal = (await api.ask('POST', '/v1/goals', { body: { text: 'look around' } })).body;
    expect(await api.ask('POST', `/v1/sessions/${goal.sessionId}/stop`)).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining('not a chat') },
    });
    const at = `/v1/sessions/${goal.sessionId}`;
    expect((await api.ask('PATCH', at, { body: { title: 'odin' } })).body).toMatchObject({ title: 'odin' });
    expect(code(await api.ask('PATCH', at, { body: { autoContinue: true } }))).toEqual([400, 'invalid_body']);
    expect(code(await api.ask('DELETE', at))).toEqual([400, 'invalid_body']);
  });

  it('a fork of a chat has the turns up to the given one', async () => {
    const { id } = await begin({ title: 'the NAS' });
    await say(id, 'what is the NAS called?');
    await say(id, 'and the router?');
    const fork = (await api.ask('POST', `/v1/sessions/${id}/fork`, { body: { turn: 2 } })).body;
    expect(fork).toMatchObject({ title: 'the NAS (fork)', turns: 2 });
    const turnsIn = async (reference: string) => (await turns(reference)).map(({ role, content }) => [role, content]);
    expect(await turnsIn(fork.id)).toEqual((await turnsIn(id)).slice(0, 2));
  });

  it('a fork and a goal that the chat starts keep what a person refused and forbade there', async () => {
    const { id } = await begin();
    await say(id, 'look at the NAS, but never touch /data/backups');
    const action = 'ssh nas rm -rf /srv/logs';
    await inTransaction(api.db, (tx) => insertRefusal(tx, id, { step: null, action, words: 'keep them', paths: [] }));
    const goal = (await api.ask('POST', '/v1/goals', { body: { text: 'tidy up', chat: id, paused: true } })).body;
    const fork = (await api.ask('POST', `/v1/sessions/${id}/fork`, { body: {} })).body;
    const ofSession = async (session: string) =>
      (await listRefusals(api.db.statements, session)).map((each) => [each.action, each.words, each.paths]);
    const refused = [action, 'keep them', []];
    const forbidden = ['# never touch /data/backups', 'never touch /data/backups', ['/data/backups']];
    expect(await ofSession(goal.sessionId)).toEqual([refused, forbidden]);
    expect(await ofSession(fork.id)).toEqual([refused, forbidden]);
  });

  it('a chat keeps its tool grants until they are removed', async () => {
    const { id } = await begin();
    const at = `/v1/sessions/${id}/grants`;
    const body = { tool: 'aish.memory_search' };
    for (let n = 0; n < 2; n += 1) expect((await api.ask('PUT', at, { body })).body.items).toEqual([body]);
    expect((await api.ask('GET', at)).body.items).toEqual([body]);
    expect((await api.ask('POST', `${at}/revoke`, { body })).body.items).toEqual([]);
    expect((await api.ask('GET', at)).body.items).toEqual([]);
  });

  it('an event stream refuses an invalid event ID', async () => {
    const { id } = await begin();
    const refused = await api.ask('GET', `/v1/sessions/${id}/events`, { headers: { 'last-event-id': 'one' } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: 'Last-Event-ID' }] } });
  });
});
