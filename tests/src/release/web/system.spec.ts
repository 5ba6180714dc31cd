/// <reference lib="dom" />
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { FileList } from '@aish/contracts/files';
import { Goal, GoalList, type GoalDetail } from '@aish/contracts/goals';
import { SecretList, certificatesIn } from '@aish/contracts/secrets';
import { Space } from '@aish/contracts/spaces';
import { CandidateList } from '@aish/contracts/memory';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { verifies } from '../../requirements.js';
import { Visitor, openChromium, type WindowName } from '../../support/browser.js';
import { closeAll } from '../../support/close-all.js';
import { eventually } from '../../support/eventually.js';
import { startPathProxy, type PathProxy } from '../../support/path.proxy.js';
import { plan, plans, proposing, slowWords } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';
import { freePort } from '../../support/service.process.js';
import { SshHost, buildHostImage } from '../../support/ssh.hosts.js';
import { addHost, addSenders, changeSpace, connectServer, setSecret } from '../../web/forms.js';

const FOUND = (window: WindowName) => [`the NAS of the ${window} is odin`, `forget this one of the ${window}`];
const found = (transcript: string): string =>
  FOUND(transcript.includes('on a phone') ? 'phone' : 'desk')
    .map((fact) => `- fact: ${fact}`)
    .join('\n');
const SKILL = `---
name: tidy-up
description: Tidies up a folder of copies.
metadata:
  parameters: what, days=7
---
Look at it first.
`;
const NEED = 'NEED: secret PAGE_KEY for https://grafana.lan:3000: to read the alerts';
const WINDOWS = [['desk'], ['phone']] as const;

describe('all of aish in a browser', () => {
  let dir = '';
  let proxyPort = 0;
  let browser: Browser;
  const visitors: Visitor[] = [];
  const running = scriptedStack(
    proposing(
      found,
      plans({
        'tell me slowly': plan({ text: `${slowWords(120)} the end.`, chunkChars: 5, delayMs: 50 }),
        'tidy the build': plan(
          'CMD: mkdir -p build && echo kept > build/a && echo made',
          'CMD: rm -rf build',
          'CMD: rm -rf other',
          'CMD: rm -rf third',
          'CMD: rm -rf third',
          'GOAL: complete\nall is tidy',
        ),
        'with the keyboard': plan('CMD: rm -rf keys', 'GOAL: complete\nthe keyboard was enough'),
        'below a path': plan('CMD: echo printed-live', 'CMD: rm -rf path', 'GOAL: complete\nit works below'),
        'print a lot': plan('CMD: seq -f "row %.0f" 100000', 'GOAL: complete\nall rows are there'),
        'with a runbook': plan('GOAL: complete\nthe runbook was there'),
        'remember things': plan('GOAL: complete\nnoted'),
        'need a key': plan(NEED, 'GOAL: complete\nit has the key'),
      }),
    ),
    async () => {
      dir = await mkdtemp(join(tmpdir(), 'aish-web-system-'));
      proxyPort = await freePort();
      return {
        env: {
          KNOWLEDGE_DIR: join(dir, 'kb'),
          HOSTS_CA_KEY: 'the key of this suite that signs for hosts, long enough',
          PUBLIC_URL: `http://localhost:${proxyPort}/aish`,
        },
      };
    },
  );
  beforeAll(async () => {
    browser = await openChromium();
  }, 60_000);
  afterEach(() => Promise.all(visitors.splice(0).map((visitor) => visitor.close())));
  afterAll(
    () =>
      closeAll(
        () => browser?.close(),
        () => rm(dir, { recursive: true, force: true }),
      ),
    60_000,
  );

  const open = async (window: WindowName, url = running.stack.client.url): Promise<Visitor> => {
    const visitor = await Visitor.open(browser, url, window);
    visitors.push(visitor);
    return visitor;
  };
  const visit = async (window: WindowName, url?: string): Promise<Visitor> => {
    const visitor = await open(window, url);
    await visitor.signIn(String(running.stack.client.token));
    return visitor;
  };
  const newest = async (): Promise<GoalDetail> => {
    const { items } = await running.stack.client.json(GoalList, 'GET', '/v1/goals?limit=1');
    return running.stack.client.goal(String(items[0]?.id));
  };
  it.each(WINDOWS)(
    verifies('web.flows', 'a chat appears while it is being written, on a %s'),
    async (window) => {
      const visitor = await visit(window);
      const { page } = visitor;
      await visitor.go('chats');
      const hint = page.getByText(/looks like it contains AWS Access Key ID/);
      await page.getByPlaceholder('Say something').fill('aws_access_key_id = AKIAZ7QWERTYUIOPASDF');
      await hint.waitFor();
      // The hint has its own row, so that the typed text stays visible.
      const { width } = (await page.getByPlaceholder('Say something').boundingBox()) ?? { width: 0 };
      expect(width).toBeGreaterThan(window === 'phone' ? 200 : 600);
      await page.getByPlaceholder('Say something').fill('tell me slowly');
      await hint.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByText('aish is working').waitFor();
      // Checked inside the browser at each frame, because from outside a slow machine may show everything at once.
      const entries = page.locator('#main .entry').filter({ hasText: /word word/ });
      await entries.filter({ hasNotText: 'the end.' }).last().waitFor();
      await page.getByText('the end.').waitFor();
      await page.getByText('aish is working').waitFor({ state: 'detached' });
      const text = await page.locator('#main').textContent();
      // Streamed words must appear once, and completely.
      expect(text?.match(/word/g)).toHaveLength(120);
    },
    60_000,
  );

  it.each(WINDOWS)(
    verifies(
      'web.flows',
      'HALTs on the page keep a preview, run an edit and grant a command, and undo restores, on a %s',
    ),
    async (window) => {
      const visitor = await visit(window);
      const { page } = visitor;
      await visitor.giveGoal(`tidy the build on a ${window}`);
      const first = await visitor.questionAbout('rm -rf build');
      await first.getByRole('button', { name: 'Preview' }).click();
      await first.getByText('Proceed keeps this run.').waitFor();
      expect(await first.locator('.try .gone').allTextContents()).toEqual(['− build/a']);
      await visitor.pressTwice(first, /proceed/i);
      const second = await visitor.questionAbout('rm -rf other');
      await second.getByRole('button', { name: 'Run something else instead' }).click();
      await second.getByLabel('Run something else instead').fill('echo edited-here');
      await visitor.pressTwice(second, /run this instead/i);
      await page.getByText('edited-here').first().waitFor();
      const third = await visitor.questionAbout('rm -rf third');
      await third.getByLabel('Do not ask again in this goal').selectOption({ label: 'this exact command' });
      await visitor.pressTwice(third, /proceed/i);
      await page.getByText('all is tidy').first().waitFor();
      const goal = await newest();
      const { actions, decisions, grants } = goal;
      expect(actions.map(({ kind, state }) => [kind, state])).toEqual(actions.map(() => ['command', 'finished']));
      expect(decisions.map(({ verdict }) => verdict)).toEqual(['proceed', 'edit', 'proceed']);
      expect(grants).toMatchObject([{ action: 'rm -rf third', uses: 1 }]);
      // The page shows how many tokens and bytes the goal read and wrote.
      await page.getByRole('heading', { name: 'Tokens per step' }).waitFor();
      await page.getByRole('heading', { name: 'Bytes written and deleted per command' }).waitFor();
      await visitor.takeBack('rm -rf build');
      const files = await running.stack.client.json(FileList, 'GET', `/v1/sessions/${goal.sessionId}/files?path=build`);
      expect(files.items.map(({ name }) => name)).toEqual(['a']);
    },
    120_000,
  );

  it.each(WINDOWS)(
    verifies('web.flows', 'the complete output of a command can be read and searched, a few pages at a time, on a %s'),
    async (window) => {
      const { client } = running.stack;
      const goal = await client.createGoal('print a lot');
      await client.until(goal.id, 'done');
      const visitor = await visit(window);
      const { page } = visitor;
      await visitor.go(`goals/${goal.number}`);
      const all = page.getByRole('button', { name: 'Show the full output' });
      await all.scrollIntoViewIfNeeded();
      const placeBefore = await page.evaluate(() => scrollY);
      await all.click();
      const pager = page.getByRole('dialog', { name: 'Full output' });
      await pager.getByText('100,000 lines').waitFor();
      const close = await pager.getByRole('button', { name: 'Close' }).boundingBox();
      expect(close?.height).toBeGreaterThanOrEqual(window === 'phone' ? 44 : 24);

      /**
       * Returns the numbers of the visible lines. Only few lines are in the document, consecutively and with correct
       * numbers.
       */
      const inSight = (): Promise<number[]> =>
        pager.getByRole('region').evaluate((box) => {
          const lines = Array.from(box.querySelectorAll<HTMLElement>('[data-line]'));
          const numbers = lines.map((line) => Number(line.dataset['line']));
          if (numbers.length > 1_200) throw new Error(`${numbers.length} lines are in the document`);
          const wrong = lines.find(
            (line, at) => numbers[at] !== (numbers[0] ?? 0) + at || line.textContent !== `row ${String(numbers[at])}`,
          );
          if (wrong !== undefined) throw new Error(`line ${String(wrong.dataset['line'])}: ${wrong.textContent}`);
          const { top, bottom } = box.getBoundingClientRect();
          return numbers.filter((_, at) => {
            const place = lines[at]?.getBoundingClientRect();
            return place !== undefined && place.top >= top - 1 && place.bottom <= bottom + 1;
          });
        });
      await pager.getByText('row 1', { exact: true }).waitFor();
      const first = await inSight();
      expect(first[0]).toBe(1);
      const region = pager.getByRole('region');
      let last = first.at(-1) ?? 0;
      for (let scrolls = 0; last < 1_500; scrolls += 1) {
        expect(scrolls).toBeLessThan(200);
        await region.evaluate((box) => box.scrollBy(0, 550));
        await page.waitForTimeout(50);
        const seen = await inSight();
        // No line may be skipped where pages come and go.
        expect(seen[0]).toBeLessThanOrEqual(last + 2);
        last = seen.at(-1) ?? last;
      }
      expect((await region.locator('[data-line]').first().getAttribute('data-line')) ?? '1').not.toBe('1');
      await region.press('End');
      await eventually('the end is in sight', async () => (await inSight()).at(-1) === 100_000 || null);

      const text = pager.getByLabel('Find text');
      const look = async (press: () => Promise<void>, line: number): Promise<void> => {
        await press();
        await pager.getByText(`· line ${line.toLocaleString('en')}`).waitFor();
        await eventually(`line ${line} is in sight`, async () => (await inSight()).includes(line) || null);
        expect(await region.locator('.found').allTextContents()).toEqual([`row ${line}`]);
      };
      await text.fill('row 77777');
      await look(() => text.press('Enter'), 77_777);
      await text.fill('ROW 5000');
      await text.press('Enter');
      await pager.getByText('not found').waitFor();
      await text.fill('row 5000');
      await look(() => text.press('Enter'), 5_000);
      await look(() => pager.getByRole('button', { name: 'Next' }).click(), 50_000);
      await look(() => pager.getByRole('button', { name: 'Previous' }).click(), 5_000);
      await pager.getByRole('button', { name: 'Start' }).click();
      await eventually('the start is in sight', async () => (await inSight())[0] === 1 || null);

      await page.goBack();
      await pager.waitFor({ state: 'detached' });
      expect(await page.evaluate(() => scrollY)).toBe(placeBefore);
      expect(await all.evaluate((button) => button === document.activeElement)).toBe(true);
      await all.click();
      await page.keyboard.press('Escape');
      await pager.waitFor({ state: 'detached' });
      await page.getByRole('heading', { name: `Goal ${goal.number}` }).waitFor();
      expect(visitor.complaints.filter((each) => !/\b401\b/.test(each))).toEqual([]);
    },
    120_000,
  );

  it(
    verifies('web.keyboard'),
    async () => {
      const visitor = await open('desk');
      const { page } = visitor;
      await page.goto(`${running.stack.client.url}/`);
      await page.getByLabel('Token').waitFor();
      const seen: string[] = [];
      /** Presses Tab until this element has the focus. Every element that is focused on the way must be visible. */
      const tabTo = async (wanted: RegExp, key = 'Tab'): Promise<void> => {
        for (let n = 0; n < 60; n += 1) {
          const at = await page.evaluate(() => {
            const focused = document.activeElement as HTMLElement | null;
            // A new screen gets the focus by itself and is not a Tab stop.
            if (focused === null || focused === document.body || focused.tabIndex < 0) return null;
            const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(focused);
            const { width, height, top, bottom } = focused.getBoundingClientRect();
            const labels = (focused as HTMLInputElement).labels;
            const name = focused.getAttribute('aria-label') ?? labels?.[0]?.textContent ?? focused.textContent ?? '';
            const isMarked = (outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1) || boxShadow !== 'none';
            return { name, isMarked, isThere: width > 0 && height > 0 && bottom > 0 && top < innerHeight };
          });
          if (at !== null && n > 0) {
            if (!at.isMarked || !at.isThere) seen.push(`${at.name}: ${JSON.stringify(at)}`);
            if (wanted.test(at.name)) return;
          } else if (at !== null && wanted.test(at.name)) return;
          await page.keyboard.press(key);
          await page.waitForTimeout(60);
        }
        throw new Error(`the keyboard does not get to ${String(wanted)}`);
      };
      await tabTo(/^Token/);
      await page.keyboard.type(String(running.stack.client.token));
      await page.keyboard.press('Enter');
      await page.getByRole('navigation').waitFor();
      await tabTo(/New goal/);
      await page.keyboard.press('Enter');
      await page.getByLabel('What should be done?').waitFor();
      await tabTo(/^What should be done/);
      await page.keyboard.type('tidy with the keyboard');
      await tabTo(/^Start goal$/);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: /^Goal \d+/ }).waitFor();
      await visitor.questionAbout('rm -rf keys');
      await visitor.cardListens();
      await tabTo(/^Proceed/);
      await page.keyboard.press('Enter');
      expect((await newest()).decisions[0]?.state).toBe('pending');
      await page.waitForTimeout(500);
      await page.keyboard.press('Enter');
      await page.getByText('the keyboard was enough').first().waitFor();
      expect(seen).toEqual([]);
    },
    90_000,
  );

  describe('the page below a path', () => {
    let proxy: PathProxy;
    afterEach(() => proxy?.close());

    it.each([
      ['says its own name', true],
      ['says the name of the api', false],
    ])(
      verifies('web.below-a-path', 'the page works behind a proxy that %s'),
      async (_, keepsHost) => {
        proxy = await startPathProxy({ to: running.stack.client.url, path: '/aish', port: proxyPort, keepsHost });
        const visitor = await visit('phone', `http://localhost:${proxyPort}/aish`);
        const { page, context } = visitor;
        expect(page.url()).toMatch(/^http:\/\/localhost:\d+\/aish\/app\//);
        const [cookie] = await context.cookies();
        expect(cookie).toMatchObject({ path: keepsHost ? '/aish/' : '/', httpOnly: true, sameSite: 'Strict' });
        await visitor.giveGoal('see it live below a path');
        await page.getByText('printed-live').first().waitFor();
        const card = await visitor.questionAbout('rm -rf path');
        await visitor.pressTwice(card, /proceed/i);
        await page.getByText('it works below').first().waitFor();
        const { scope } = await page.evaluate(async () => {
          const { scope: of } = await navigator.serviceWorker.ready;
          return { scope: of };
        });
        expect(scope).toBe(`http://localhost:${proxyPort}/aish/app/`);
        // The page requests nothing outside its own path.
        expect(proxy.strays).toEqual([]);
        expect(visitor.complaints.filter((each) => !/\b401\b/.test(each))).toEqual([]);
      },
      90_000,
    );
  });

  it.each(WINDOWS)(
    verifies('web.flows', 'a goal with a runbook is given, memory candidates are decided, and doctor runs, on a %s'),
    async (window) => {
      const { client } = running.stack;
      const content = Buffer.from(SKILL).toString('base64');
      const put = await client.request('PUT', '/v1/runbooks/tidy-up', { files: [{ path: 'SKILL.md', content }] });
      expect(put.status).toBe(200);
      const visitor = await visit(window);
      const { page } = visitor;
      await visitor.go('give');
      await page.getByLabel('What should be done?').fill('go with a runbook');
      await page.getByText('Options').click();
      await page.getByLabel('Runbook').selectOption('tidy-up');
      await page.getByText('Tidies up a folder of copies.').waitFor();
      await page.getByLabel('what', { exact: true }).fill('old copies');
      await page.getByRole('button', { name: 'Start goal' }).click();
      await page.getByText('the runbook was there').first().waitFor();
      const goal = await newest();
      expect(goal.runbooks).toMatchObject([{ name: 'tidy-up', chosen: true }]);
      expect(
        running.model.requests
          .at(-1)
          ?.messages.map(({ content: text }) => text)
          .join('\n'),
      ).toContain('{"what":"old copies","days":"7"}');

      const noted = await client.createGoal(`remember things on a ${window}`);
      const { sessionId } = await client.until(noted.id, 'done');
      await client.request('POST', '/v1/memory/summarize', { sessionId });
      const candidates = async () => (await client.json(CandidateList, 'GET', '/v1/memory/candidates')).items;
      expect((await candidates()).map(({ content: text }) => text)).toEqual(FOUND(window));
      await visitor.go('memory');
      const proposed = (text: string) =>
        page.getByRole('listitem').filter({ has: page.locator(`textarea:text-is("${text}")`) });
      const [odin, other] = [page.locator('textarea[aria-label]').first(), page.locator('textarea[aria-label]').nth(1)];
      await odin.fill(`the NAS of the ${window} is called odin`);
      await page.getByRole('button', { name: 'Accept' }).first().click();
      await page.getByText(`the NAS of the ${window} is called odin`).last().waitFor();
      await eventually('one is left', async () => (await candidates()).length === 1 || null);
      await other.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Reject' }).click();
      await eventually('none is left', async () => (await candidates()).length === 0 || null);
      expect(await proposed(FOUND(window)[1] ?? '').count()).toBe(0);

      await visitor.go('doctor');
      for (const name of ['database', 'sandbox', 'worker', 'model fast'])
        await page.getByRole('listitem').filter({ hasText: name }).first().waitFor();
      const looked = page.waitForResponse((response) => response.url().endsWith('/v1/doctor'));
      await page.getByRole('button', { name: 'Check again' }).click();
      expect((await looked).status()).toBe(200);
    },
    120_000,
  );

  it(
    verifies(
      'web.flows',
      'access for a model is given on the page with a value that is hidden, and shown nowhere afterwards',
    ),
    async () => {
      const { client } = running.stack;
      await client.json(Space, 'PATCH', '/v1/spaces/home', { instructions: 'The home.' });
      const goal = await client.json(Goal, 'POST', '/v1/goals', { text: 'need a key', space: 'home' });
      await client.decisionOf(goal.id);
      const value = `glsa_${randomBytes(18).toString('hex')}`;
      const [certificate = ''] = rootCertificates;
      const visitor = await visit('phone');
      const { page } = visitor;
      await visitor.go('decisions');
      const card = page.locator('article').filter({ hasText: 'secret PAGE_KEY for https://grafana.lan:3000' });
      const field = card.getByLabel('Value');
      expect(await field.getAttribute('type')).toBe('password');
      await card.getByLabel('Certificate (PEM)').fill('no certificate');
      await field.fill('short');
      await visitor.cardListens();
      await card.getByRole('button', { name: 'Give access' }).click();
      await card.getByText('certificate cannot be read').waitFor();
      await card.getByLabel('Certificate (PEM)').fill(certificate);
      await field.fill(value);
      await card
        .getByLabel('Give access to')
        .selectOption({ label: 'its space home, too: all new goals and chats there' });
      await visitor.cardListens();
      await card.getByRole('button', { name: 'Give access' }).click();
      await card.waitFor({ state: 'detached' });
      await client.until(goal.id, 'done');
      expect((await client.json(SecretList, 'GET', '/v1/secrets')).items).toMatchObject([
        { name: 'PAGE_KEY', targets: [{ host: 'grafana.lan', port: 3000 }], certificate: certificatesIn(certificate) },
      ]);
      expect(await client.json(Space, 'GET', '/v1/spaces/home')).toMatchObject({
        secrets: ['PAGE_KEY'],
        network: { rules: [{ host: 'grafana.lan', ports: [3000], private: true }] },
      });
      await visitor.go(`goals/${goal.number}`);
      await page.getByText('it has the key').first().waitFor();
      const kept = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage, document.body.innerHTML]));
      const requestText = JSON.stringify(running.model.requests);
      expect([kept.includes(value), requestText.includes(value)]).toEqual([false, false]);
    },
    90_000,
  );

  it.each(WINDOWS)(
    verifies(
      'web.forms',
      'hosts, spaces, event sources, secrets and servers can be set with the forms of the page, on a %s',
    ),
    async (window) => {
      await buildHostImage();
      const nas = await SshHost.start('nas');
      try {
        const visitor = await visit(window);
        const { page } = visitor;
        await addHost(visitor, nas);
        await changeSpace(visitor, running.stack.client);
        await addSenders(visitor, running.stack.client);
        await setSecret(visitor, running.stack.client);
        await connectServer(visitor, running.stack.client);
        await visitor.go('settings');
        await page.getByText('Server settings').waitFor();
        const setting = (name: string) => page.locator('dl div').filter({ has: page.getByText(name, { exact: true }) });
        expect(await setting('PUBLIC_URL').textContent()).toContain(`http://localhost:${proxyPort}/aish`);
        expect(await setting('HOSTS_CA_KEY').textContent()).toContain('set from the environment');
        expect(await setting('REQUESTS_PER_MINUTE').count()).toBe(0);
        await page.getByLabel('Search the settings').fill('requests per minute');
        await setting('REQUESTS_PER_MINUTE').getByText('6000').waitFor();
        expect(await page.locator('#main').textContent()).not.toContain('signs for hosts, long enough');
        for (const made of ['spaces/media', 'hosts/nas', 'event-sources/alerts', 'secrets/NAS_KEY'])
          expect((await running.stack.client.request('DELETE', `/v1/${made}`)).status).toBeLessThan(300);
      } finally {
        await nas.stop();
      }
    },
    120_000,
  );
});
