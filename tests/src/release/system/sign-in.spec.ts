import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SignIn, SignInState } from '@aish/contracts/sign-in';
import { startScriptedModel, type ScriptedModel } from '@aish/demo-model';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { startAish } from '../../support/aish.command.js';
import { closeAll } from '../../support/close-all.js';
import { Browser, OidcProvider } from '../../support/oidc.provider.js';
import { plan } from '../../support/plan.js';
import { freePort } from '../../support/service.process.js';
import { Stack } from '../../support/stack.js';

const field = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';

describe('signing in through a provider', () => {
  let provider: OidcProvider;
  let model: ScriptedModel;
  let stack: Stack;
  let dir: string;

  beforeAll(async () => {
    const [port, apiPort] = [await freePort(), await freePort()];
    dir = await mkdtemp(join(tmpdir(), 'aish-sign-in-'));
    const publicUrl = `http://127.0.0.1:${apiPort}`;
    const client = { clientId: 'aish', clientSecret: 'of-the-test-alone' };
    provider = await OidcProvider.start({
      ...client,
      port,
      redirectUri: `${publicUrl}/v1/sign-in/callback`,
      groups: { ann: ['wheel'], bob: ['family'], mallory: ['strangers'] },
    });
    model = await startScriptedModel({ script: plan('GOAL: complete') });
    stack = await Stack.start({
      modelUrl: model.url,
      apiPort,
      env: {
        PUBLIC_URL: publicUrl,
        OIDC_ISSUER: provider.issuer,
        OIDC_CLIENT_ID: client.clientId,
        OIDC_CLIENT_SECRET: client.clientSecret,
        OIDC_ADMINS: 'wheel',
        OIDC_OPERATORS: 'family',
      },
    });
  }, 120_000);

  afterAll(
    () =>
      closeAll(
        () => stack?.stop(),
        () => provider?.stop(),
        () => model?.close(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  const nobody = () => new ApiClient(stack.client.url, null);
  const begin = () => nobody().json(SignIn, 'POST', '/v1/sign-in');
  const fetchToken = (id: string, secret: string) =>
    nobody().json(SignInState, 'POST', `/v1/sign-in/${id}`, { secret });

  /** Visits the provider's own pages: login, consent, and back to aish. */
  async function signInAt(
    url: string,
    person: string,
  ): Promise<{ browser: Browser; page: { status: number; html: string } }> {
    const browser = new Browser();
    let page = await browser.open(url);
    for (let n = 0; n < 3 && page.url.startsWith(provider.issuer); n += 1) {
      const action = /action="([^"]+)"/.exec(page.html)?.[1] ?? '';
      const prompt = field(page.html, 'prompt');
      const form = prompt === 'login' ? { prompt, login: person, password: person } : { prompt };
      page = await browser.open(new URL(action, page.url).href, form);
    }
    return { browser, page };
  }

  it(
    verifies('sign-in.provider', 'the terminal gets a token after the person has confirmed its code, and only once'),
    async () => {
      const { id, url, code, secret } = await begin();
      expect(await fetchToken(id, secret)).toEqual({ state: 'waiting', token: null });
      const { browser, page } = await signInAt(url, 'bob');
      expect([page.status, page.html]).toEqual([200, expect.stringContaining(code)]);
      expect(page.html).toContain('<b>bob</b>');
      expect(await fetchToken(id, secret)).toEqual({ state: 'waiting', token: null });

      const confirm = { id: field(page.html, 'id'), confirmation: field(page.html, 'confirmation') };
      const action = `${stack.client.url}/v1/sign-in/callback/confirm`;
      expect((await browser.open(action, { ...confirm, confirmation: 'guessed' })).status).toBe(403);
      expect((await browser.open(action, confirm)).html).toContain('You are signed in');

      await expect(fetchToken(id, 'guessed')).rejects.toThrow(/403/);
      const { token } = await fetchToken(id, secret);
      expect(token).toMatchObject({ name: expect.stringMatching(/^bob\.[0-9a-f]{6}$/), scopes: ['operate', 'decide'] });
      expect(token?.expiresAt).not.toBeNull();
      await expect(fetchToken(id, secret)).rejects.toThrow(/403/);
      const bob = new ApiClient(stack.client.url, token?.token ?? null);
      expect((await bob.request('GET', '/v1/goals')).status).toBe(200);
      expect((await bob.request('GET', '/v1/tokens')).status).toBe(403);
      // The provider's response is valid for one sign-in, once.
      expect((await browser.open(url)).html).not.toContain('You are <b>');
    },
    60_000,
  );

  it(
    verifies('sign-in.provider', 'a person without a role and a forged response of the provider get no access'),
    async () => {
      const { id, url, secret } = await begin();
      const { page } = await signInAt(url, 'mallory');
      expect([page.status, page.html]).toEqual([403, expect.stringContaining('mallory has no role here')]);
      expect(await fetchToken(id, secret)).toMatchObject({ state: 'waiting' });
      const state = new URL(url).searchParams.get('state') ?? '';
      const forged = await fetch(`${stack.client.url}/v1/sign-in/callback?code=forged&state=${state}`);
      expect(forged.status).toBe(403);
    },
    60_000,
  );

  it(
    verifies('sign-in.provider', 'aish login stores the token in a file that only its owner can read'),
    async () => {
      const file = join(dir, 'token');
      const login = startAish({ url: stack.client.url, tokenFile: file }, ['login']);
      const [, url = ''] = await login.says(/(http:\/\/\S+\/auth\?\S+)/);
      const [, code = '-'] = await login.says(/code is (\w+)/);
      const { browser, page } = await signInAt(url, 'ann');
      expect(page.html).toContain(code);
      await browser.open(`${stack.client.url}/v1/sign-in/callback/confirm`, {
        id: field(page.html, 'id'),
        confirmation: field(page.html, 'confirmation'),
      });
      expect(await login.ended()).toMatchObject({ code: 0, stdout: expect.stringContaining('Signed in as ann.') });
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      const ann = new ApiClient(stack.client.url, (await readFile(file, 'utf8')).trim());
      expect((await ann.request('GET', '/v1/tokens')).status).toBe(200);
    },
    60_000,
  );
});
