import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertHalt } from './testing/decisions.fixture.js';
import { TestApi, type Answer } from './testing/test-api.js';

/** The suite shares one api and one database, because starting them takes most of the time. */
describe('the api', () => {
  let api: TestApi;
  let observer: string;
  let operator: string;
  let decider: string;
  beforeAll(async () => {
    api = await TestApi.start();
    observer = await api.tokenWith('observe');
    operator = await api.tokenWith('observe', 'operate');
    decider = await api.tokenWith('observe', 'decide');
  });
  afterAll(() => api?.stop());

  const post = (url: string, body: unknown, token?: string) =>
    api.ask('POST', url, { body, ...(token === undefined ? {} : { token }) });
  const get = (url: string, token?: string) => api.ask('GET', url, token === undefined ? {} : { token });
  const code = ({ status, body }: Answer) => [status, body?.code ?? null];
  const paths = ({ body }: Answer): string[] => body.errors.map(({ path }: { path: string }) => path);

  describe('the api for any client', () => {
    it('a request with a missing, wrong, revoked or insufficient token gets a problem with a code', async () => {
      expect(code(await api.ask('GET', '/v1/goals', { token: null }))).toEqual([401, 'unauthorized']);
      expect(code(await get('/v1/goals', 'aish_nobody'))).toEqual([401, 'unauthorized']);
      const { body } = await post('/v1/tokens', { name: 'short', scopes: ['observe'] });
      expect((await get('/v1/goals', body.token)).status).toBe(200);
      await api.ask('DELETE', '/v1/tokens/short');
      expect(code(await get('/v1/goals', body.token))).toEqual([401, 'unauthorized']);
      expect(await post('/v1/goals', { text: 'x' }, observer)).toMatchObject({
        status: 403,
        headers: { 'content-type': expect.stringContaining('application/problem+json') },
        body: { code: 'forbidden', needed: 'operate', type: 'urn:aish:problem:forbidden' },
      });
    });

    it('a request with an unknown route, reference or ID gets a problem with a code', async () => {
      for (const url of ['/v1/nowhere', '/v1/goals/99999', `/v1/goals/${randomUUID()}`, '/v1/sessions/99999']) {
        expect(code(await get(url))).toEqual([404, 'not_found']);
      }
      expect(code(await get('/v1/goals/not-a-number'))).toEqual([400, 'invalid_body']);
    });
  });

  it('admins see each setting and its source, without secrets', async () => {
    const { status, body, text } = await get('/v1/settings');
    expect(status).toBe(200);
    const of = (wanted: string) => body.items.find(({ name }: { name: string }) => name === wanted);
    expect(of('PORT')).toMatchObject({ value: '0', byDefault: '7717', source: 'environment', isSecret: false });
    expect(of('SANDBOX_TOKEN')).toMatchObject({ value: null, isSecret: true, source: 'environment' });
    expect(of('CONFIRM_CMD')).toMatchObject({ value: 'true', source: 'default' });
    const [, password] = /:\/\/[^:]*:([^@]*)@/.exec(of('DATABASE_URL').value) ?? [];
    expect([undefined, '[redacted]']).toContain(password);
    expect(text).not.toMatch(/"value":"[0-9a-f]{48}"/);
    for (const token of [observer, operator, decider])
      expect(code(await get('/v1/settings', token))).toEqual([403, 'forbidden']);
  });

  it('a route accepts every short reference to its own kind, such as g4, and refuses references to other kinds', async () => {
    const goal = (await post('/v1/goals', { text: 'named' })).body;
    for (const name of [`g${goal.number}`, `G-${goal.number}`, String(goal.number), goal.id]) {
      expect(await get(`/v1/goals/${name}`)).toMatchObject({ status: 200, body: { id: goal.id } });
    }
    const chat = (await post('/v1/sessions', {})).body;
    for (const name of [`c${chat.number}`, `c-${chat.number}`, `s${chat.number}`, chat.id]) {
      expect(await get(`/v1/sessions/${name}`)).toMatchObject({ status: 200, body: { id: chat.id } });
    }
    expect((await get('/openapi.json')).body?.paths?.['/v1/goals/{ref}']?.get?.parameters).toHaveLength(1);
    expect(code(await get('/v1/decisions/d99999'))).toEqual([404, 'not_found']);
    expect(code(await post('/v1/decisions/d99999/preview', {}))).toEqual([404, 'not_found']);
    expect(code(await get(`/v1/actions/${randomUUID()}/changes`))).toEqual([404, 'not_found']);
    expect(code(await get('/v1/goals/g99999/snapshots'))).toEqual([404, 'not_found']);
    expect(code(await api.ask('DELETE', '/v1/schedules/s99999'))).toEqual([404, 'not_found']);
    for (const url of [
      `/v1/goals/d${goal.number}`,
      `/v1/sessions/g${chat.number}`,
      '/v1/decisions/c1',
      '/v1/goals/g0',
    ]) {
      expect(code(await get(url))).toEqual([400, 'invalid_body']);
    }
  });

  it('the secret check names suspected secrets in a text, and refuses a text of more than 200,000 characters', async () => {
    const look = (text: string) => post('/v1/secrets/look', { text }, observer);
    expect((await look('aws_access_key_id = AKIAZ7QWERTYUIOPASDF')).body.titles).toEqual([
      expect.stringMatching(/AWS/),
    ]);
    expect((await look('Password login is off.')).body).toEqual({ titles: [] });
    expect(code(await look('x'.repeat(200_001)))).toEqual([400, 'invalid_body']);
  });

  describe('tokens', () => {
    it('a new token is shown only once, and no second token can have its name', async () => {
      const made = await post('/v1/tokens', { name: 'phone', scopes: ['observe', 'decide'], expiresInDays: 7 });
      expect(made).toMatchObject({ status: 201, body: { name: 'phone', token: expect.stringMatching(/^aish_/) } });
      expect(Date.parse(made.body.expiresAt) - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
      expect(code(await post('/v1/tokens', { name: 'phone', scopes: ['observe'] }))).toEqual([409, 'name_taken']);
      const listed = await get('/v1/tokens');
      expect(listed.text).not.toContain(made.body.token);
      expect(listed.body.items.map(({ name }: { name: string }) => name)).toContain('phone');
    });

    it('only admins create and list tokens, and the last admin token cannot be revoked', async () => {
      expect(code(await get('/v1/tokens', operator))).toEqual([403, 'forbidden']);
      expect(code(await post('/v1/tokens', { name: 'more', scopes: ['admin'] }, operator))).toEqual([403, 'forbidden']);
      const { body } = await get('/v1/tokens');
      const admins = body.items.filter(({ scopes }: { scopes: string[] }) => scopes.includes('admin'));
      expect(admins).toHaveLength(1);
      expect(code(await api.ask('DELETE', `/v1/tokens/${admins[0].name}`))).toEqual([409, 'last_admin']);
    });

    it('the error for an invalid token request lists every problem', async () => {
      const wrong = await post('/v1/tokens', { name: '', scopes: ['root'], expiresInDays: 0, more: 1 });
      expect(code(wrong)).toEqual([400, 'invalid_body']);
      expect(paths(wrong)).toEqual(expect.arrayContaining(['name', 'scopes.0', 'expiresInDays']));
    });
  });

  describe('goals', () => {
    it('a goal can be read by its number or ID, and the list shows the newest goals first', async () => {
      const numbers: number[] = [];
      for (const text of ['one', 'two', 'three'])
        numbers.push((await post('/v1/goals', { text }, operator)).body.number);
      const listed = await get('/v1/goals?limit=2', observer);
      expect(listed.body.items.map(({ number }: { number: number }) => number)).toEqual(numbers.slice(1).toReversed());
      const [number] = numbers;
      const { body } = await get(`/v1/goals/${number}`, observer);
      expect(body).toMatchObject({ number, text: 'one', state: 'queued', steps: [], decisions: [] });
      expect((await get(`/v1/goals/${body.id}`)).body.number).toBe(number);
      expect((await get('/v1/goals?state=done')).body.items).toEqual([]);
    });

    it('a goal has MAX_NORRIS_STEPS steps by default', async () => {
      const few = await TestApi.start({ MAX_NORRIS_STEPS: '3' });
      try {
        const budget = async (more: object) =>
          (await few.ask('POST', '/v1/goals', { body: { text: 'x', ...more } })).body.stepBudget;
        expect([await budget({}), await budget({ stepBudget: 5 })]).toEqual([3, 5]);
      } finally {
        await few.stop();
      }
    });

    it('a refused goal is not stored, and the error lists every problem', async () => {
      const before = (await get('/v1/goals')).body.items.length;
      const wrong = await post('/v1/goals', { text: ' ', stepBudget: 0, unknown: true });
      expect(code(wrong)).toEqual([400, 'invalid_body']);
      expect(paths(wrong)).toEqual(expect.arrayContaining(['text', 'stepBudget']));
      expect(code(await post('/v1/goals', { text: 'x', preset: 'absent' }))[0]).toBe(400);
      expect(code(await post('/v1/goals', 'text'))).toEqual([415, 'unsupported_media_type']);
      expect((await get('/v1/goals')).body.items).toHaveLength(before);
      expect(code(await get('/v1/goals?limit=0'))).toEqual([400, 'invalid_body']);
      expect(code(await get('/v1/goals?state=flying'))).toEqual([400, 'invalid_body']);
    });

    it('a goal whose space is removed can be changed, but cannot get more trust', async () => {
      expect((await api.ask('PATCH', '/v1/spaces/attic', { body: { instructions: 'dusty' } })).status).toBe(200);
      const { body: goal } = await post('/v1/goals', { text: 'in the attic', space: 'attic' });
      expect((await api.ask('DELETE', '/v1/spaces/attic', {})).status).toBeLessThan(300);
      const change = (body: object) => api.ask('PATCH', `/v1/goals/${goal.number}`, { body });
      expect((await change({ priority: 'high', trust: 'ask' })).body).toMatchObject({ priority: 'high' });
      expect(code(await change({ trust: 'undoable' }))).toEqual([404, 'not_found']);
    });

    it('goals can be paused, resumed, changed and ended in the states that allow it', async () => {
      const { body: goal } = await post('/v1/goals', { text: 'long work' });
      const at = `/v1/goals/${goal.number}`;
      expect(code(await post(`${at}/continue`, {}))).toEqual([409, 'goal_not_ended']);
      expect((await post(`${at}/pause`, {})).body.state).toBe('paused');
      expect((await post(`${at}/resume`, {})).body.state).toBe('queued');
      const changed = await api.ask('PATCH', at, { body: { text: 'short work', priority: 'high' } });
      expect(changed.body).toMatchObject({ text: 'short work', priority: 'high', trust: 'ask' });
      expect((await api.ask('PATCH', at, { body: { trust: 'undoable' } })).body.trust).toBe('undoable');
      // Trust replaces verdicts, so an operator may not raise it.
      const trusting = (trust: string) => api.ask('PATCH', at, { body: { trust }, token: operator });
      expect(code(await trusting('undoable'))).toEqual([403, 'forbidden']);
      expect((await trusting('ask')).body.trust).toBe('ask');
      expect((await post(`${at}/cancel`, {})).body.state).toBe('aborted');
      expect(code(await post(`${at}/pause`, {}))).toEqual([409, 'goal_ended']);
      // An ended goal can get a new text and then continue with it.
      expect((await api.ask('PATCH', at, { body: { text: 'other work' } })).body.text).toBe('other work');
      expect((await post(`${at}/continue`, {})).body).toMatchObject({ state: 'queued', text: 'other work' });
    });
  });

  describe('events', () => {
    it('an event stream replays the events after the given ID, in order and without gaps', async () => {
      const { body: goal } = await post('/v1/goals', { text: 'watched' });
      await post(`/v1/goals/${goal.number}/cancel`, {});
      const read = async (after: string): Promise<number[]> => {
        const stop = new AbortController();
        const headers = { authorization: `Bearer ${api.token}`, ...(after === '' ? {} : { 'last-event-id': after }) };
        const response = await fetch(`${api.url}/v1/sessions/${goal.sessionId}/events`, {
          headers,
          signal: stop.signal,
        });
        const ids: number[] = [];
        const decoder = new TextDecoder();
        let text = '';
        for await (const chunk of response.body ?? []) {
          text += decoder.decode(chunk as Uint8Array, { stream: true });
          ids.splice(0, ids.length, ...[...text.matchAll(/^id: ?(\d+)$/gm)].map(([, id]) => Number(id)));
          if (text.includes('aborted')) break;
        }
        stop.abort();
        return ids;
      };
      const all = await read('');
      expect(all).toEqual(all.map((_, n) => n + 1));
      expect(all.length).toBeGreaterThan(1);
      expect(await read('1')).toEqual(all.slice(1));
      const odd = { headers: { 'last-event-id': 'x' } };
      expect(code(await api.ask('GET', `/v1/sessions/${goal.sessionId}/events`, odd))).toEqual([400, 'invalid_body']);
    });
  });

  describe('decisions', () => {
    it('observers can list decisions, but only deciders can answer them, and only once', async () => {
      const id = await insertHalt(api.db, 'rm -rf asked');
      const { body } = await get('/v1/decisions', observer);
      expect(body.items).toMatchObject([{ id, action: 'rm -rf asked', state: 'pending' }]);
      const at = `/v1/decisions/${id}/verdict`;
      expect(code(await post(at, { verdict: 'skip' }, operator))).toEqual([403, 'forbidden']);
      const wrong = await post(at, { verdict: 'edit' }, decider);
      expect([code(wrong), paths(wrong)]).toEqual([[400, 'invalid_body'], ['command']]);
      expect(code(await post(at, { verdict: 'skip', grant: 'rule' }, decider))).toEqual([400, 'invalid_body']);
      const naming = await post(at, { verdict: 'skip', preview: randomUUID() }, decider);
      expect([code(naming), paths(naming)]).toEqual([[400, 'invalid_body'], ['preview']]);
      expect((await post(at, { verdict: 'skip', message: 'keep it' }, decider)).body).toMatchObject({
        state: 'decided',
        verdict: 'skip',
        message: 'keep it',
      });
      expect(code(await post(at, { verdict: 'proceed' }, decider))).toEqual([409, 'decision_taken']);
      expect((await get('/v1/decisions')).body.items).toEqual([]);
      expect((await get('/v1/decisions?state=decided')).body.items).toHaveLength(1);
    });

    it('a decision accepts only one of several simultaneous verdicts', async () => {
      const id = await insertHalt(api.db, 'rm -rf raced');
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => post(`/v1/decisions/${id}/verdict`, { verdict: 'skip' }, decider)),
      );
      const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
      expect(statuses).toEqual([200, ...Array<number>(7).fill(409)]);
    });
  });

  describe('sessions', () => {
    it('a chat can be created, renamed and found by its title', async () => {
      const { body: chat } = await post('/v1/sessions', { title: 'about odin' });
      expect(chat).toMatchObject({ kind: 'chat', title: 'about odin' });
      const at = `/v1/sessions/${chat.number}`;
      expect((await api.ask('PATCH', at, { body: { title: 'about thor' } })).body.title).toBe('about thor');
      const found = await get('/v1/sessions?q=thor');
      expect(found.body.items.map(({ id }: { id: string }) => id)).toEqual([chat.id]);
      expect((await get(`${at}/turns`)).body.items).toEqual([]);
      expect(code(await get(`${at}/results/r-none`))[0]).toBe(404);
      expect(code(await api.ask('PATCH', at, { body: { preset: 'absent' } }))[0]).toBe(400);
      expect(code(await api.ask('PUT', `${at}/grants`, { body: { tool: 'x' }, token: operator }))).toEqual([
        403,
        'forbidden',
      ]);
    });
  });

  describe('schedules', () => {
    it('a schedule needs a valid time, time zone and goal, and can be removed only once', async () => {
      const made = await post('/v1/schedules', {
        cron: '0 3 * * *',
        timezone: 'Europe/Berlin',
        goal: { text: 'nightly' },
      });
      expect(made).toMatchObject({ status: 201, body: { goal: { text: 'nightly' }, skipped: 0 } });
      expect(Date.parse(made.body.nextAt)).toBeGreaterThan(Date.now());
      expect((await get('/v1/schedules')).body.items).toHaveLength(1);
      for (const wrong of [{ cron: '61 * * * *' }, { timezone: 'Mars/Base' }, { goal: {} }]) {
        const input = { cron: '0 3 * * *', timezone: 'UTC', goal: { text: 'x' }, ...wrong };
        expect(code(await post('/v1/schedules', input))).toEqual([400, 'invalid_body']);
      }
      expect((await api.ask('DELETE', `/v1/schedules/${made.body.number}`)).status).toBe(200);
      expect(code(await api.ask('DELETE', `/v1/schedules/${made.body.number}`))).toEqual([404, 'not_found']);
    });
  });

  describe('memory', () => {
    it('memory items can be stored, found by a search and deleted', async () => {
      const added = await post('/v1/memory/items', { content: 'the NAS is called odin' });
      const { item } = added.body;
      expect([added.status, item.content]).toEqual([201, 'the NAS is called odin']);
      const found = await get('/v1/memory/search?q=what+is+the+NAS+called');
      expect(found.text).toContain('odin');
      expect((await api.ask('DELETE', `/v1/memory/items/${item.number}`)).status).toBe(200);
      expect((await get('/v1/memory/search?q=what+is+the+NAS+called')).text).not.toContain('odin');
      expect(code(await get('/v1/memory/items/99999'))).toEqual([404, 'not_found']);
      expect(code(await post('/v1/memory/items', { content: '' }))).toEqual([400, 'invalid_body']);
      expect(code(await post('/v1/memory/items', { content: 'x' }, observer))).toEqual([403, 'forbidden']);
    });

    it('a person cannot list the memory items of another person', async () => {
      await post('/v1/memory/items', { content: 'mine is freyja' });
      expect((await get('/v1/memory/items', observer)).text).not.toContain('freyja');
    });
  });
});
