import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEVICE_GRANT } from '@aish/contracts/device-login';
import { TestApi, type Answer } from '../testing/test-api.js';

const TRIES = 30;

describe('a device that asks to be let in', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await TestApi.start({ WRONG_TOKENS_PER_MINUTE: String(TRIES) });
  });
  afterAll(() => api?.stop());

  const begin = (headers: Record<string, string> = {}): Promise<Answer> =>
    api.ask('POST', '/v1/device', { body: { name: 'laptop' }, token: null, headers });
  const poll = (deviceCode: string): Promise<Answer> =>
    api.ask('POST', '/v1/device/token', {
      body: { grant_type: DEVICE_GRANT, device_code: deviceCode },
      token: null,
    });
  const decide = (code: string, body: object, token?: string): Promise<Answer> =>
    api.ask('POST', `/v1/device/${code}/decide`, { body, ...(token === undefined ? {} : { token }) });
  /** As if the interval were over. */
  const later = () => api.db.pool.query(`update device_logins set asked_at = now() - interval '1 hour'`);

  it('gets a token once somebody has said yes, once, and of just these scopes', async () => {
    const { body: begun } = await begin();
    expect(begun).toMatchObject({ interval: 5, expires_in: 600, verification_uri: expect.stringMatching(/\/device$/) });
    expect(begun.user_code).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(await poll(begun.device_code)).toMatchObject({
      status: 400,
      body: { code: 'authorization_pending', error: 'authorization_pending' },
    });
    const typed = begun.user_code.toLowerCase().replace('-', '');
    expect((await api.ask('GET', `/v1/device/${typed}`)).body).toMatchObject({ name: 'laptop', address: '127.0.0.1' });
    expect((await decide(typed, { approve: true, scopes: ['observe'] })).status).toBe(200);
    expect((await decide(typed, { approve: true, scopes: ['admin'] })).status).toBe(404);
    await later();
    const { status, body: given } = await poll(begun.device_code);
    expect([status, given.token_type, given.scope]).toEqual([200, 'Bearer', 'observe']);
    expect((await api.ask('GET', '/v1/goals', { token: given.access_token })).status).toBe(200);
    expect((await api.ask('POST', '/v1/goals', { token: given.access_token, body: { text: 'x' } })).status).toBe(403);
    expect((await poll(begun.device_code)).body.code).toBe('expired_token');
    const { items } = (await api.ask('GET', '/v1/audit?action=device.approved')).body;
    expect(items[0]).toMatchObject({ subject: 'laptop', facts: { address: '127.0.0.1', scopes: ['observe'] } });
    const { rows } = await api.db.pool.query(
      `select expires_at > now() + interval '89 days' as long from api_tokens
      where name = $1`,
      [given.name],
    );
    expect(rows).toEqual([{ long: true }]);
  });

  it('no token but an admin’s lets a device in, or sees that it waits', async () => {
    const { body: begun } = await begin();
    const token = await api.tokenWith('operate', 'decide');
    expect((await api.ask('GET', `/v1/device/${begun.user_code}`, { token })).status).toBe(403);
    expect((await decide(begun.user_code, { approve: true }, token)).status).toBe(403);
    expect(
      (await api.ask('POST', `/v1/device/${begun.user_code}/decide`, { body: { approve: true }, token: null })).status,
    ).toBe(401);
    expect((await poll(begun.device_code)).body.code).toBe('authorization_pending');
  });

  it('a device that was told no gets nothing', async () => {
    const { body: begun } = await begin();
    await decide(begun.user_code, { approve: false });
    expect((await poll(begun.device_code)).body.code).toBe('access_denied');
    expect((await poll(begun.device_code)).body.code).toBe('expired_token');
  });

  it('a device that asks too soon has to wait longer each time, also with a yes', async () => {
    const { body: begun } = await begin();
    await poll(begun.device_code);
    expect((await poll(begun.device_code)).body.code).toBe('slow_down');
    await decide(begun.user_code, { approve: true });
    expect((await poll(begun.device_code)).body.code).toBe('slow_down');
    const { rows } = await api.db.pool.query(`select interval_s from device_logins where state = 'approved'`);
    expect(rows).toEqual([{ interval_s: 15 }]);
    await later();
    expect((await poll(begun.device_code)).status).toBe(200);
  });

  it('a code that is too old is good for nothing', async () => {
    const { body: begun } = await begin();
    await api.db.pool.query('update device_logins set expires_at = now()');
    expect((await decide(begun.user_code, { approve: true })).status).toBe(404);
    expect((await poll(begun.device_code)).body.code).toBe('expired_token');
  });

  it('neither code is kept in the database where it could be used by a reader', async () => {
    const { body: begun } = await begin();
    const { rows } = await api.db.pool.query('select * from device_logins');
    expect(JSON.stringify(rows)).not.toContain(begun.device_code);
  });

  it('web pages begin nothing and ask for nothing', async () => {
    const origin = { origin: 'https://evil.example' };
    expect((await begin(origin)).status).toBe(403);
    const body = { grant_type: DEVICE_GRANT, device_code: 'x' };
    expect((await api.ask('POST', '/v1/device/token', { body, token: null, headers: origin })).status).toBe(403);
  });

  it('a flood and guesses of one address are bounded, keep few rows, and lock no token out', async () => {
    const codes = [];
    for (let n = 0; n < TRIES; n += 1) codes.push((await begin()).body.code);
    expect(codes.at(-1)).toBe('too_many');
    expect(await poll('guessed')).toMatchObject({ status: 429, body: { code: 'too_many' } });
    const { rows } = await api.db.pool.query('select 1 from device_logins');
    expect(rows.length).toBeLessThanOrEqual(5);
    expect((await api.ask('GET', '/v1/goals')).status).toBe(200);
    // A client from before the flood still gets in, and the owner can still approve it.
    expect((await api.ask('GET', '/v1/device/BCDFGHJK')).status).toBe(404);
  });

  it('others’ floods turn nobody away', async () => {
    const flood = `insert into device_logins (user_code, device_hash, name, address, interval_s, expires_at, created_at)
      select 'F' || n, 'hash' || n, 'x', 'address' || n, 5, now() + interval '9 minutes', now() - interval '1 minute'
      from generate_series(1, 3000) n`;
    const other = await TestApi.start();
    try {
      await other.db.pool.query(flood);
      const { status, body } = await other.ask('POST', '/v1/device', { body: {}, token: null });
      expect(status).toBe(200);
      expect((await other.ask('GET', `/v1/device/${body.user_code}`)).status).toBe(200);
      const { rows } = await other.db.pool.query('select count(*)::int as count from device_logins');
      expect(rows).toEqual([{ count: 1_000 }]);
    } finally {
      await other.stop();
    }
  });
});
