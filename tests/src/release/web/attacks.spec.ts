/// <reference lib="dom" />
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NewToken } from '@aish/contracts/tokens';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { ApiClient } from '../../support/api.client.js';
import { Visitor } from '../../support/browser.js';
import { eventually } from '../../support/eventually.js';
import { WebStack } from '../../web/web.stack.js';

/** Each of these texts would run if any part of it were treated as more than text. */
const SCRIPT = `<img src=x onerror="window.pwned='img'"><script>window.pwned='script'</script><svg onload="window.pwned='svg'">`;
const MARKDOWN = `[click](javascript:window.pwned='link') [data](data:text/html,<script>1</script>) ![i](http://127.0.0.1:1/leak.png)
${SCRIPT}

| a | <b onmouseover="window.pwned='table'">b</b> |
|---|---|
| ${SCRIPT} | x |

[good](https://example.org/?q=1)`;

describe('attacks on the page', () => {
  let web: WebStack;
  let visitor: Visitor;
  beforeAll(async () => {
    web = await WebStack.start();
    visitor = await web.visit();
  }, 120_000);
  afterAll(async () => {
    await visitor?.close();
    await web?.stop();
  });

  const cookie = async (): Promise<{ name: string; value: string }> => {
    const [found] = await visitor.context.cookies();
    if (found === undefined) throw new Error('there is no cookie');
    return found;
  };

  it(
    verifies(
      'web.attacks',
      'scripts in goals, answers, output, file names, tools and memory stay text, and links lead only to the web',
    ),
    async () => {
      const actionId = '00000000-0000-4000-8000-000000000001';
      const goal = await web.goal(`tidy ${SCRIPT}`, ({ id: goalId, number }) => [
        { type: 'goal.created', goalId, number, text: SCRIPT, preset: 'fast', stepBudget: 16 },
        { type: 'step.started', goalId, step: 1, stepBudget: 16 },
        { type: 'step.answered', goalId, step: 1, text: MARKDOWN, model: SCRIPT, usage: null },
        {
          type: 'action.classified',
          goalId,
          actionId,
          kind: 'tool',
          step: 1,
          n: 1,
          command: `fs.read {"path":"${SCRIPT.replaceAll('"', "'")}"}`,
          classification: { verdict: 'safe', reason: null, ruleId: null, span: null, by: 'rule' },
        },
        {
          type: 'action.finished',
          goalId,
          actionId,
          kind: 'tool',
          step: 1,
          outcome: {
            exitCode: 0,
            signal: SCRIPT,
            outOfMemory: false,
            timedOut: false,
            cancelled: false,
            durationMs: 1,
            output: `${SCRIPT}\u001b[31m\u202eevil`,
            omittedBytes: 0,
            effects: {
              created: { files: 0, bytes: 0, paths: [] },
              changed: { files: 0, bytes: 0, paths: [] },
              deleted: { files: 1, bytes: 1, paths: [`${SCRIPT}.txt`] },
              complete: true,
            },
          },
          result: null,
        },
        { type: 'goal.changed', goalId, state: 'done', reason: null, waitingFor: null, summary: SCRIPT },
      ]);
      await web.client.request('POST', '/v1/memory/items', { content: SCRIPT });
      await web.client.request('POST', '/v1/schedules', { cron: '0 3 * * *', goal: { text: SCRIPT } });
      const outside: string[] = [];
      visitor.page.on('request', (request) => {
        if (!request.url().startsWith(web.client.url) && !request.url().startsWith('blob:'))
          outside.push(request.url());
      });
      for (const hash of ['goals', `goals/${goal.number}`, 'memory', 'schedules', 'sessions', 'audit', 'decisions']) {
        await visitor.go(hash);
        await visitor.page
          .getByText('window.pwned')
          .first()
          .waitFor({ timeout: 5_000 })
          .catch(() => undefined);
      }
      await visitor.go(`goals/${goal.number}`);
      await visitor.page.getByRole('link', { name: 'good' }).waitFor();
      const links = await visitor.page
        .locator('#main .md a')
        .evaluateAll((all) => all.map((each) => [each.getAttribute('href'), each.getAttribute('rel')]));
      expect(links).toEqual([['https://example.org/?q=1', 'noopener noreferrer nofollow']]);
      expect(await visitor.page.locator('#main :is(img, script, iframe, object, b)').count()).toBe(0);
      expect(await visitor.page.evaluate(() => (globalThis as { pwned?: string }).pwned)).toBeUndefined();
      const shown = await visitor.page.locator('#main').textContent();
      expect(['\u001b', '\u202e'].filter((hidden) => shown?.includes(hidden))).toEqual([]);
      expect(outside).toEqual([]);
    },
    60_000,
  );

  it(
    verifies(
      'web.attacks',
      'a HALT on the page hides nothing: invisible characters and those that reverse text are written out',
    ),
    async () => {
      const goal = await web.goal('clean');
      const action = 'rm -rf \u202e/tmp\u200b/x \u0430pt #\u2066 safe';
      const number = await web.halt(goal, action);
      await visitor.go(`decisions/d${number}`);
      const shown = visitor.page.locator('pre.action');
      await shown.waitFor();
      expect(await shown.textContent()).toBe('rm -rf \\u{202e}/tmp\\u{200b}/x \\u{430}pt #\\u{2066} safe');
      expect(await shown.evaluate((element) => getComputedStyle(element).unicodeBidi)).toBe('bidi-override');
      await visitor.page.getByText('are written out').waitFor();
      // The same is true of names in a preview, and of a replacement command.
      const part = { count: 1, sizeBytes: 1, names: ['photo\u202egnp.exe'] };
      const ended = { exitCode: 0, timedOut: false, output: '', isOutputCut: false, durationMs: 1 };
      const none = { count: 0, sizeBytes: 0, names: [] };
      const preview = { removed: part, changed: none, added: none, ...ended, lacks: [], direct: [], keeps: false };
      await visitor.page.route('**/preview', (route) =>
        route.fulfill({ json: { ...preview, rerunReason: null, id: null } }),
      );
      await visitor.page.getByRole('button', { name: 'Preview' }).click();
      await visitor.page.getByText('− photo\\u{202e}gnp.exe').waitFor();
      await visitor.page.unroute('**/preview');
      await visitor.cardListens();
      await visitor.page.getByRole('button', { name: 'Run something else instead' }).click();
      const edited = visitor.page.locator('.verdicts pre.exact');
      expect(await edited.textContent()).toContain('\\u{202e}/tmp\\u{200b}/x');
      await visitor.page.getByLabel('Run something else instead').fill('ls -l');
      await edited.waitFor({ state: 'detached' });
    },
    60_000,
  );

  it(
    verifies(
      'web.attacks',
      'nodes of the knowledge base, tools that ask, events, spaces, chats and live text stay text',
    ),
    async () => {
      const { client } = web;
      await client.request('POST', '/v1/knowledge/init', {});
      const node = { title: `node ${SCRIPT}`, summary: SCRIPT, body: `${SCRIPT}\n[[javascript:window.pwned=1][x]]` };
      const made = await client.request('POST', '/v1/knowledge/nodes', {
        ...node,
        types: ['observation'],
        projects: ['home'],
        confidence: 'stated',
        visibility: 'shared',
      });
      const answered = (await made.json()) as { id: string; detail?: string };
      expect([made.status, answered.detail]).toEqual([200, undefined]);
      await client.request('PATCH', '/v1/spaces/attacked', { instructions: SCRIPT });
      const source = (await (await client.request('POST', '/v1/event-sources', { name: 'evil' })).json()) as {
        secret: string;
      };
      await client.request('POST', '/v1/event-rules', { source: 'evil', match: { x: SCRIPT }, goal: { text: SCRIPT } });
      await new ApiClient(client.url, source.secret).request('POST', '/v1/events/evil', { [SCRIPT]: SCRIPT });
      await client.request('POST', '/v1/sessions', { title: SCRIPT });
      const goal = await web.goal('live text');
      const asked = await web.halt(goal, `${SCRIPT} asks`, {
        context: SCRIPT,
        classification: { verdict: 'destructive', reason: SCRIPT, ruleId: SCRIPT, span: [0, 4], by: 'rule' },
      });
      // This is how the tool of a hostile server describes its question.
      await web.db.pool.query(
        `update decisions set kind = 'elicitation', request = $2, goal_id = null where number = $1`,
        [
          asked,
          JSON.stringify({
            type: 'object',
            properties: { [SCRIPT]: { type: 'string', title: SCRIPT, description: SCRIPT } },
          }),
        ],
      );
      const { page } = visitor;
      for (const [hash, awaited] of [
        ['knowledge', 'window.pwned'],
        [`knowledge/${answered.id}`, 'window.pwned'],
        ['spaces', 'attacked'],
        ['events', 'window.pwned'],
        ['chats', 'window.pwned'],
        ['decisions', 'window.pwned'],
        [`goals/${goal.number}`, 'live text'],
      ] as const) {
        await visitor.go(hash);
        await page.locator('#main').getByText(awaited).first().waitFor({ state: 'attached' });
        for (const fold of await page.locator('#main summary').all()) await fold.click();
        const isGraph = hash.startsWith('knowledge/');
        if (isGraph) await page.locator('#main .graph img').waitFor();
        const foreign = page.locator('#main :is(script, iframe, object, b, svg:not(.chart), img:not([src^="blob:"]))');
        expect([hash, await foreign.count()]).toEqual([hash, 0]);
      }
      await web.live(goal, {
        type: 'model.delta',
        goalId: goal.id,
        step: 1,
        text: `${SCRIPT} [l](javascript:alert(1))`,
      });
      await page.locator('.entry', { hasText: 'window.pwned' }).first().waitFor();
      expect(await page.locator('#main a[href^="javascript:" i]').count()).toBe(0);
      expect(await page.evaluate(() => (globalThis as { pwned?: string }).pwned)).toBeUndefined();
    },
    60_000,
  );

  it(
    verifies('web.attacks', 'the page runs only its own files, and no other page can frame it'),
    async () => {
      const page = await web.client.request('GET', '/app/');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("require-trusted-types-for 'script'");
      expect(policy).not.toMatch(/unsafe|\*|http/);
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(await page.text()).not.toMatch(/<script(?![^>]*\bsrc=)|style=|\son\w+=/);
      const framed = await strangersPage(`<iframe src="${web.client.url}/app/" id="f"></iframe>`);
      try {
        const other = await Visitor.open(web.browser, framed.url);
        await other.page.goto(framed.url);
        await other.page.waitForTimeout(500);
        expect(await other.page.frames()[1]?.locator('#app').count()).toBe(0);
        await other.close();
      } finally {
        await framed.stop();
      }
    },
    60_000,
  );

  it(
    verifies('web.attacks', "a browser's session works only for our own pages, and proves which page sends a request"),
    async () => {
      const { name, value } = await cookie();
      const ask = (method: string, headers: Record<string, string>, body?: unknown) =>
        new ApiClient(web.client.url, null).request(method, '/v1/goals', body, {
          cookie: `${name}=${value}`,
          ...headers,
        });
      const goal = { text: 'forged' };
      const session = (await (await ask('GET', {})).json()) as object;
      expect(session).toHaveProperty('items');
      const csrf = await visitor.page.evaluate(async () => {
        const response = await fetch('../../v1/web/session');
        return ((await response.json()) as { csrf: string }).csrf;
      });
      const own = { origin: web.client.url, 'sec-fetch-site': 'same-origin' };
      expect((await ask('POST', own, goal)).status).toBe(403);
      expect((await ask('POST', { ...own, 'x-aish-csrf': `${csrf}x` }, goal)).status).toBe(403);
      expect((await ask('POST', { 'x-aish-csrf': csrf, origin: 'https://evil.example' }, goal)).status).toBe(403);
      expect((await ask('POST', { 'x-aish-csrf': csrf, 'sec-fetch-site': 'cross-site' }, goal)).status).toBe(403);
      expect((await ask('GET', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
      expect((await ask('POST', { ...own, 'x-aish-csrf': csrf }, goal)).status).toBe(201);
      const [kept] = await visitor.context.cookies();
      expect(kept).toMatchObject({ httpOnly: true, sameSite: 'Strict' });
      // A stranger's form is sent by a real browser that is signed in.
      const stranger = await strangersPage(
        `<form method="post" action="${web.client.url}/v1/goals" enctype="text/plain"><input name='{"text":"forged","x":"' value='"}'></form>`,
      );
      try {
        const goals = async (): Promise<number> =>
          ((await (await web.client.request('GET', '/v1/goals')).json()) as { items: [] }).items.length;
        const before = await goals();
        const page = await visitor.context.newPage();
        await page.goto(stranger.url);
        await page.evaluate(() => document.forms[0]?.submit());
        await page.waitForLoadState();
        await page.close();
        expect(await goals()).toBe(before);
      } finally {
        await stranger.stop();
      }
    },
    60_000,
  );

  it(
    verifies('web.attacks', 'a request to our address under a foreign host name is refused, and signs nobody in'),
    async () => {
      const { port } = new URL(web.client.url);
      const rebound = await raw(port, 'GET', '/app/', { host: `evil.example:${port}`, accept: 'text/html' });
      expect([rebound.status, rebound.body]).toEqual([421, expect.stringContaining('ALLOWED_HOSTS')]);
      const signIn = await raw(
        port,
        'POST',
        '/v1/web/session',
        { host: `evil.example:${port}`, 'content-type': 'application/json', origin: `http://evil.example:${port}` },
        JSON.stringify({ token: web.client.token }),
      );
      expect([signIn.status, signIn.cookie]).toEqual([421, undefined]);
      const { name, value } = await cookie();
      const used = await raw(port, 'GET', '/v1/goals', { host: `evil.example:${port}`, cookie: `${name}=${value}` });
      expect(used.status).toBe(421);
      for (const host of [`localhost:${port}`, `nas:${port}`, `aish.lan:${port}`, `[::1]:${port}`])
        expect([host, (await raw(port, 'GET', '/app/', { host })).status]).toEqual([host, 200]);
    },
    60_000,
  );

  it(
    verifies('web.attacks', "no token is in a URL, a log, the page or the browser's storage"),
    async () => {
      const token = String(web.client.token);
      const { value } = await cookie();
      const kept = await visitor.page.evaluate(() =>
        JSON.stringify([
          Object.entries(localStorage),
          Object.entries(sessionStorage),
          document.cookie,
          document.documentElement.outerHTML,
        ]),
      );
      // A token in an address signs nobody in, and does not get into the log either.
      for (const path of ['/v1/goals', '/v1/web/session', '/v1/notices'])
        for (const name of ['token', 'access_token', 'aish_session']) {
          const asked = await new ApiClient(web.client.url, null).request('GET', `${path}?${name}=${token}`);
          expect([path, asked.status]).toEqual([path, 401]);
        }
      for (const secret of [token, value]) {
        expect(web.api.log).not.toContain(secret);
        expect(kept).not.toContain(secret);
        expect(visitor.page.url()).not.toContain(secret);
      }
    },
    60_000,
  );

  it(
    verifies('web.sessions'),
    async () => {
      const made = await web.client.json(NewToken, 'POST', '/v1/tokens', {
        name: `kid-${randomBytes(3).toString('hex')}`,
        scopes: ['observe'],
      });
      const kid = await Visitor.open(web.browser, web.client.url, 'phone');
      await kid.signIn(made.token);
      // A read-only role is offered nothing else.
      await kid.page.getByText('Goals').first().waitFor();
      expect(await kid.page.getByRole('link', { name: 'New goal' }).count()).toBe(0);
      await web.client.request('DELETE', `/v1/tokens/${made.name}`);
      await kid.go('settings');
      await kid.page.reload();
      await kid.page.getByLabel('Token').waitFor();
      await kid.close();
      const [one, two] = [await web.visit(), await web.visit('phone')];
      await one.go('settings');
      await one.page.getByText('this one').waitFor();
      expect(await one.page.getByRole('button', { name: 'Sign out', exact: true }).count()).toBeGreaterThanOrEqual(3);
      await one.page.getByRole('button', { name: 'Sign out everywhere' }).click();
      await one.page.getByLabel('Token').waitFor();
      // The page shows the change as soon as someone looks at it.
      await two.page.reload();
      await two.page.getByLabel('Token').waitFor();
      expect((await web.client.request('GET', '/v1/goals')).status).toBe(200);
      await Promise.all([one.close(), two.close()]);
      await visitor.close();
      visitor = await web.visit();
    },
    90_000,
  );

  it(
    verifies('web.offline', 'a session that ended elsewhere leaves no data, and no verdict for the next person'),
    async () => {
      const goal = await web.goal('somebody else');
      const number = await web.halt(goal, 'rm -rf somebody');
      const gone = await web.visit();
      const { page, context } = gone;
      await page.evaluate(() => navigator.serviceWorker.ready);
      await gone.go(`goals/${goal.number}`);
      const skip = page.getByRole('article', { name: `d${number}` }).getByRole('button', { name: 'Skip' });
      await skip.waitFor();
      await context.setOffline(true);
      // The offline message moves the page while this happens.
      await gone.pressUntil(skip, page.getByText('This verdict is sent once'));
      // The session is ended as if from another browser.
      await web.db.pool.query('update api_tokens set revoked_at = now() where id in (select id from api_tokens order by created_at desc limit 1)'); // prettier-ignore
      await context.setOffline(false);
      await page.getByLabel('Token').waitFor();
      const left = () =>
        page.evaluate(async () => ({
          caches: await caches.keys(),
          workers: (await navigator.serviceWorker.getRegistrations()).length,
          verdicts: localStorage.getItem('aish-verdicts'),
        }));
      await eventually(
        'nothing is left',
        async () => {
          const { caches: kept, workers, verdicts } = await left();
          return kept.length + workers === 0 && verdicts === '[]';
        },
        { timeoutMs: 20_000 },
      );
      await gone.signIn(String(web.client.token));
      await gone.go('decisions');
      await page.getByText('rm -rf somebody').first().waitFor();
      const { rows } = await web.db.pool.query('select state from decisions where number = $1', [number]);
      expect(rows).toEqual([{ state: 'pending' }]);
      await gone.close();
    },
    60_000,
  );

  it(
    verifies('web.offline', 'a sign-out leaves no service worker, no stored data, and no page that works'),
    async () => {
      const { page } = visitor;
      await page.evaluate(() => navigator.serviceWorker.ready);
      await visitor.go('goals');
      await page.reload();
      await page.getByRole('heading', { name: 'Goals' }).waitFor();
      const kept = () =>
        page.evaluate(async () => [
          (await caches.keys()).length,
          (await navigator.serviceWorker.getRegistrations()).length,
        ]);
      expect((await kept())[0]).toBeGreaterThan(0);
      await visitor.go('settings');
      await page.getByText('this one').waitFor();
      await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
      await page.getByLabel('Token').waitFor();
      expect(await kept()).toEqual([0, 0]);
      await visitor.context.setOffline(true);
      await expect(page.goto(`${visitor.url}/app/`)).rejects.toThrow(/ERR_INTERNET_DISCONNECTED/);
      await visitor.context.setOffline(false);
    },
    60_000,
  );
});

/** A stranger's page on its own address. */
async function strangersPage(body: string): Promise<{ url: string; stop: () => Promise<unknown> }> {
  const server: Server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>x</title>${body}`);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://localhost:${port}/`, stop: () => new Promise((resolve) => server.close(resolve)) };
}

/** Sends a raw request, because fetch would set its own Host. */
async function raw(
  port: string,
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<{ status: number; body: string; cookie: string | undefined }> {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, method, path, headers, timeout: 10_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: text, cookie: response.headers['set-cookie']?.[0] }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
