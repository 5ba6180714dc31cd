import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DEVICE_GRANT } from '@aish/contracts/device-login';
import { TestApi, type Answer } from '../testing/test-api.js';

const TRIES = 30;

describe('signing in with a device code', () => {
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
  /** Simulates that the polling interval is over. */
  const later = () => api.db.pool.query(`update device_logins set asked_at = now() - interval '1 hour'`);

  it('an approved device gets one token, with exactly the approved scopes', async () => {
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

  it('only an admin token can approve a device or see its request', async () => {
    const { body: begun } = await begin();
    const token = await api.tokenWith('operate', 'decide');
    expect((await api.ask('GET', `/v1/device/${begun.user_code}`, { token })).status).toBe(403);
    expect((await decide(begun.user_code, { approve: true }, token)).status).toBe(403);
    expect(
      (await api.ask('POST', `/v1/device/${begun.user_code}/decide`, { body: { approve: true }, token: null })).status,
    ).toBe(401);
    expect((await poll(begun.device_code)).body.code).toBe('authorization_pending');
  });

  it('a refused device gets no token', async () => {
    const { body: begun } = await begin();
    await decide(begun.user_code, { approve: false });
    expect((await poll(begun.device_code)).body.code).toBe('access_denied');
    expect((await poll(begun.device_code)).body.code).toBe('expired_token');
  });

  it('a device that polls too soon must wait longer each time, even after approval', async () => {
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

  it('an expired device code can neither be approved nor exchanged for a token', async () => {
    const { body: begun } = await begin();
    await api.db.pool.query('update device_logins set expires_at = now()');
    expect((await decide(begun.user_code, { approve: true })).status).toBe(404);
    expect((await poll(begun.device_code)).body.code).toBe('expired_token');
  });

  it('the database does not store the device code in plain text', async () => {
    const { body: begun } = await begin();
    const { rows } = await api.db.pool.query('select * from device_logins');
    expect(JSON.stringify(rows)).not.toContain(begun.device_code);
  });

  it('a web page can neither start a device sign-in nor poll it', async () => {
    const origin = { origin: 'https://evil.example' };
    expect((await begin(origin)).status).toBe(403);
    const body = { grant_type: DEVICE_GRANT, device_code: 'x' };
    expect((await api.ask('POST', '/v1/device/token', { body, token: null, headers: origin })).status).toBe(403);
  });

  it('a flood of device sign-ins from one address is limited, and does not block requests with a token', async () => {
    const codes = [];
    for (let n = 0; n < TRIES; n += 1) codes.push((await begin()).body.code);
    expect(codes.at(-1)).toBe('too_many');
    expect(await poll('guessed')).toMatchObject({ status: 429, body: { code: 'too_many' } });
    const { rows } = await api.db.pool.query('select 1 from device_logins');
    expect(rows.length).toBeLessThanOrEqual(5);
    expect((await api.ask('GET', '/v1/goals')).status).toBe(200);
    // A client from before the flood still signs in, and the owner can still approve it.
    expect((await api.ask('GET', '/v1/device/BCDFGHJK')).status).toBe(404);
  });

  it('a flood of device sign-ins from many addresses does not block a new one', async () => {
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
