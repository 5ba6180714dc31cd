import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { TestApi, type Answer } from '../testing/test-api.js';

const TRIES = 10;

describe('signing in', () => {
  let api: TestApi;
  let withProvider: TestApi;
  beforeAll(async () => {
    const bound = { WRONG_TOKENS_PER_MINUTE: String(TRIES) };
    api = await TestApi.start(bound);
    // This provider does not respond.
    const OIDC = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'aish', PUBLIC_URL: 'http://aish.example' };
    withProvider = await TestApi.start({ ...bound, ...OIDC });
  });
  afterAll(async () => {
    await api?.stop();
    await withProvider?.stop();
  });

  const text = { 'content-type': 'text/plain' };
  const begin = (at: TestApi, headers: Record<string, string> = text): Promise<Answer> =>
    at.ask('POST', '/v1/sign-in', { body: 'x', token: null, headers });

  it('sign-in attempts without a provider do not block requests with a token', async () => {
    for (let n = 0; n <= TRIES; n += 1) {
      expect(await begin(api)).toMatchObject({ status: 404, body: { code: 'sign_in_off' } });
    }
    expect((await api.ask('GET', '/v1/goals')).status).toBe(200);
  });

  it('sign-in attempts of a web page are refused, and do not count towards the limit of the address', async () => {
    const origin = { ...text, origin: 'https://evil.example' };
    for (let n = 0; n <= TRIES; n += 1) {
      expect(await begin(withProvider, origin)).toMatchObject({ status: 403, body: { code: 'forbidden' } });
      const page = { origin: 'https://evil.example' };
      const guess = { body: { secret: 'x'.repeat(43) }, token: null, headers: page };
      expect(await withProvider.ask('POST', `/v1/sign-in/${randomUUID()}`, guess)).toMatchObject({ status: 403 });
    }
    expect((await begin(withProvider)).body.code).toBe('sign_in_failed');
  });

  it('sign-ins from one address are limited, but requests with a token from it still work', async () => {
    const answers = [];
    for (let n = 0; n <= TRIES; n += 1) answers.push((await begin(withProvider)).body.code);
    expect(answers.at(-1)).toBe('too_many');
    const guess = { body: { secret: 'x'.repeat(43) }, token: null };
    expect(await withProvider.ask('POST', `/v1/sign-in/${randomUUID()}`, guess)).toMatchObject({ status: 429 });
    expect((await withProvider.ask('GET', '/v1/goals')).status).toBe(200);
  });

  it("only aish's own page can sign a browser in, even if another page sends a valid token", async () => {
    const signIn = (headers: Record<string, string>) =>
      api.ask('POST', '/v1/web/session', { body: { token: api.token }, token: null, headers });
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const refused = await signIn(headers);
      expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined]);
    }
    const own = await signIn({ 'sec-fetch-site': 'same-origin' });
    expect([own.status, String(own.headers['set-cookie'])]).toEqual([200, expect.stringMatching(/^aish_session=/)]);
  });

  it('invalid session cookies do not block requests with a token, because other pages can set cookies', async () => {
    const cookie = { cookie: 'aish_session=aish_wrong', 'sec-fetch-site': 'same-origin' };
    const answers = [];
    for (let n = 0; n <= TRIES; n += 1) {
      answers.push((await api.ask('GET', '/v1/goals', { token: null, headers: cookie })).status);
    }
    expect([answers[0], answers.at(-1)]).toEqual([401, 429]);
    expect((await api.ask('GET', '/v1/goals')).status).toBe(200);
  });

  it('too many wrong tokens block their address', async () => {
    for (let n = 0; n < TRIES; n += 1) {
      expect((await api.ask('GET', '/v1/goals', { token: 'aish_wrong' })).status).toBe(401);
    }
    expect(await api.ask('GET', '/v1/goals')).toMatchObject({
      status: 429,
      headers: { 'retry-after': expect.any(String) },
    });
  });
});
