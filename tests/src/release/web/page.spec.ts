/// <reference lib="dom" />
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { Decision } from '@aish/contracts/decisions';
import type { EventBody } from '@aish/contracts/events';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { Visitor, WINDOWS, type WindowName } from '../../support/browser.js';
import { eventually } from '../../support/eventually.js';
import { step, tellStories } from '../../web/story.js';
import { WebStack } from '../../web/web.stack.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENS = [
  ['goals', 'Ended'],
  ['give', 'What should be done?'],
  ['decisions', 'overwrites a disk'],
  ['chats', 'Chats'],
  ['sessions', 'Sessions'],
  ['memory', 'Remembered'],
  ['knowledge', 'Knowledge'],
  ['schedules', 'Schedules'],
  ['events', 'Received'],
  ['hosts', 'Hosts'],
  ['spaces', 'general'],
  ['secrets', 'Set the secret'],
  ['mcp', 'No MCP servers'],
  ['models', 'fast'],
  ['audit', 'signed a browser in'],
  ['lab', 'Check now'],
  ['doctor', 'Check again'],
  ['settings', 'this one'],
  ['more', 'Spaces'],
] as const;

describe('the page', () => {
  let web: WebStack;
  const visitors: Visitor[] = [];
  // An open page would keep sending requests while the next test runs.
  afterEach(() => Promise.all(visitors.splice(0).map((visitor) => visitor.close())));
  beforeAll(async () => {
    web = await WebStack.start();
  }, 120_000);
  afterAll(async () => {
    await web?.stop();
  });
  const visit = async (window: WindowName, options: { colorScheme?: 'dark' | 'light' } = {}): Promise<Visitor> => {
    const visitor = await web.visit(window, options);
    visitors.push(visitor);
    return visitor;
  };
  const approvalOf = async (number: number): Promise<NonNullable<Decision['approval']>> => {
    const { approval } = await web.client.json(Decision, 'GET', `/v1/decisions/d${number}`);
    if (approval === undefined) throw new Error('nobody has to let it run');
    return approval;
  };
  const stateOf = async (number: number) =>
    (await (await web.client.request('GET', `/v1/decisions/d${number}`)).json()) as {
      state: string;
      verdict: string | null;
    };

  it('a newcomer sees three steps until the first goal', async () => {
    const { page } = await visit('phone');
    const tour = page.locator('.tour li');
    await page.getByText('Three steps to start').waitFor();
    expect(await tour.count()).toBe(3);
    await page.evaluate(AXE);
    expect(await page.evaluate(`axe.run().then(({ violations }) => violations.map(({ id }) => id))`)).toEqual([]);
    await tour.getByRole('link', { name: 'Give a goal.' }).click();
    await page.getByLabel('What should be done?').waitFor();
    await tellStories(web);
    await page.goBack();
    await page.getByText('Ended').first().waitFor();
    expect(await tour.count()).toBe(0);
  }, 90_000);

  // Layout depends on the window and contrast on the mode, so two visits see all four.
  it.each([
    ['desk', 'light'],
    ['phone', 'dark'],
  ] as const)(
    verifies('web.accessible', 'the screens of the page have no accessibility fault on a %s, in %s mode'),
    async (window, colorScheme) => {
      const { ended, halted } = await tellStories(web);
      await web.client.request('POST', '/v1/memory/items', { content: 'the NAS is called odin' });
      const { page, ...visitor } = Object.assign(await visit(window, { colorScheme }), {});
      const found: unknown[] = [];
      for (const [hash, awaited] of [
        ...SCREENS,
        [`goals/${ended.number}`, 'total changes'],
        [`goals/${halted.number}`, 'overwrites a disk'],
      ] as const) {
        await page.goto(`${web.client.url}/app/#/${hash}`);
        await page.locator('#main').getByText(awaited).first().waitFor();
        await page.waitForTimeout(700);
        await page.evaluate(`if (!globalThis.axe) { ${AXE} }`);
        const violations = await page.evaluate<
          unknown[]
        >(`axe.run({ resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
          violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]))`);
        if (violations.length > 0) found.push([hash, violations]);
        const small = await page.evaluate(() =>
          matchMedia('(pointer: coarse)').matches
            ? Array.from(
                document.querySelectorAll<HTMLElement>('button, nav a, .row[href], input:not([type=checkbox]), select'),
              )
                .filter((each) => each.offsetHeight > 0 && each.offsetHeight < 44)
                .map((each) => each.outerHTML.slice(0, 80))
            : [],
        );
        if (small.length > 0) found.push([hash, small]);
        // The test does not use innerWidth, because a phone zooms out if a page is too wide.
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > WINDOWS[window].width) found.push([hash, 'wider than its window']);
      }
      expect(found).toEqual([]);
      expect(visitor.complaints.filter((each) => !/\b(401|404|503)\b/.test(each))).toEqual([]);
    },
    180_000,
  );

  it(
    verifies(
      'web.keyboard',
      'the focused element stays visible while more of a goal arrives, and a button leads to the end',
    ),
    async () => {
      const goal = await web.goal('look long', ({ id }) => step(id, 21, 'I begin.', 'ls', 'begun'));
      const visitor = await visit('desk');
      const { page } = visitor;
      await visitor.go(`goals/${goal.number}`);
      await page.getByText('begun').waitFor();
      const pause = page.getByRole('button', { name: 'Pause' });
      const isAtPause = () => pause.evaluate((button) => button === document.activeElement);
      for (let n = 0; n < 60 && !(await isAtPause()); n += 1) await page.keyboard.press('Tab');
      const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n');
      for (let n = 22; n < 34; n += 1) await web.tell(goal, step(goal.id, n, 'I go on.', `ls ${n}`, lines));
      const newest = page.getByRole('button', { name: /Jump to the newest/ });
      await newest.waitFor();
      const box = await pause.boundingBox();
      expect([await isAtPause(), (box?.y ?? -1) >= 0]).toEqual([true, true]);
      await newest.click();
      await page.getByText('ls 33').first().waitFor();
    },
    60_000,
  );

  it('the page asks again who is signed in if the api did not respond the first time', async () => {
    const visitor = await Visitor.open(web.browser, web.client.url);
    visitors.push(visitor);
    await visitor.page.route('**/v1/web/session', (route) => route.abort(), { times: 1 });
    await visitor.signIn(String(web.client.token));
    expect(visitor.complaints.join()).toContain('ERR_FAILED');
  }, 90_000);

  it('the page shows a goal once the api responds again, even if nothing in the goal changes', async () => {
    const goal = await web.goal('not reached at once', ({ id }) => step(id, 41, 'I begin.', 'ls', 'reached'));
    const { page } = await visit('desk');
    await page.route(`**/v1/goals/${goal.number}`, (route) => route.abort());
    await page.goto(`${web.client.url}/app/#/goals/${goal.number}`);
    await page.getByText('aish is not responding').waitFor();
    await page.unroute(`**/v1/goals/${goal.number}`);
    await page.getByText('reached', { exact: true }).waitFor();
    expect(await page.getByText('aish is not responding').count()).toBe(0);
  }, 60_000);

  it('the page stays at the end of a goal when an entry grows', async () => {
    const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n');
    const goal = await web.goal('grow', ({ id }) =>
      [42, 43, 44, 45].flatMap((n) => step(id, n, 'I go on.', `ls ${n}`, lines)),
    );
    const visitor = await visit('desk');
    const { page } = visitor;
    await visitor.go(`goals/${goal.number}`);
    await page.getByText('ls 45').first().waitFor();
    await page
      .locator('.entry')
      .last()
      .evaluate((entry) => {
        entry.style.paddingBottom = '2000px';
        // This scroll event was pending when the entry grew.
        dispatchEvent(new Event('scroll'));
      });
    const isAtEnd = () =>
      page.evaluate(() => innerHeight + scrollY >= document.documentElement.scrollHeight - 40 || null);
    expect(await eventually('the end is in sight', isAtEnd)).toBe(true);
    await web.tell(goal, step(goal.id, 46, 'I go on.', 'ls 46', lines));
    await page.getByText('ls 46').first().waitFor();
    expect(await eventually('the end is in sight', isAtEnd)).toBe(true);
  }, 60_000);

  it('the page stays at the end of a goal when more entries arrive than the window can show', async () => {
    const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n');
    const steps = (id: string, from: number) =>
      Array.from({ length: 16 }, (_, n) => step(id, from + n, `number ${from + n}`, `echo ${from + n}`, lines)).flat();
    const goal = await web.goal('grow fast', ({ id }) => steps(id, 1));
    const visitor = await visit('desk');
    const { page } = visitor;
    await visitor.go(`goals/${goal.number}`);
    await page.getByText('number 16', { exact: true }).waitFor();
    for (const from of [17, 33, 49, 65, 81]) {
      await web.tell(goal, steps(goal.id, from));
      await page.getByText(`number ${from + 15}`, { exact: true }).waitFor();
    }
    expect(await page.getByRole('button', { name: /Jump to the newest/ }).count()).toBe(0);
  }, 60_000);

  it(
    verifies('web.live'),
    async () => {
      const goal = await web.goal('stay with it');
      await web.tell(goal, step(goal.id, 1, 'one', 'echo one', 'printed-one'));
      const one = await visit('desk');
      await one.go(`goals/${goal.number}`);
      await one.page.getByText('printed-one').first().waitFor();
      const other = await one.context.newPage();
      await other.goto(one.page.url());
      await other.getByText('printed-one').first().waitFor();
      await web.api.kill('SIGKILL');
      await one.page.getByText('Offline.').waitFor();
      await web.tell(goal, step(goal.id, 2, 'two', 'echo two', 'printed-two'));
      await web.api.start();
      await web.tell(goal, step(goal.id, 3, 'three', 'echo three', 'printed-three'));
      for (const page of [one.page, other]) {
        await page.getByText('printed-three').first().waitFor();
        expect(await page.locator('.output pre').allTextContents()).toEqual([
          'printed-one',
          'printed-two',
          'printed-three',
        ]);
      }
      await other.close();
    },
    90_000,
  );

  it(
    verifies('web.large'),
    async () => {
      const { page } = await visit('desk');
      const loaded = await page.evaluate<[string, number][]>(() =>
        performance.getEntriesByType('resource').map((each) => {
          const { name, encodedBodySize } = each as PerformanceResourceTiming;
          return [name, encodedBodySize];
        }),
      );
      const first = loaded
        .filter(([name]) => /\/app\/.*\.(js|css)$/.test(name))
        .reduce((sum, [, bytes]) => sum + bytes, 0);
      expect(first).toBeGreaterThan(5_000);
      expect(first).toBeLessThan(120_000);
      const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n');
      const goal = await web.goal('ten thousand lines');
      const bodies: EventBody[] = [];
      for (let n = 1; n <= 800; n += 1) bodies.push(...step(goal.id, n, `number ${n}`, `echo ${n}`, lines));
      await web.tell(goal, bodies);
      await page.goto(`${web.client.url}/app/#/goals/${goal.number}`);
      await page.getByText('step 800/16').waitFor();
      const nodes = await page.evaluate(() => document.querySelectorAll('*').length);
      expect(nodes).toBeLessThan(3_000);
      await page.mouse.wheel(0, -30_000);
      await page.waitForTimeout(500);
      expect(await page.evaluate(() => document.querySelectorAll('.entry').length)).toBeGreaterThan(3);
      const cdp = await page.context().newCDPSession(page);
      await cdp.send('HeapProfiler.collectGarbage');
      const { usedSize } = await cdp.send('Runtime.getHeapUsage');
      expect(usedSize).toBeLessThan(150_000_000);
    },
    90_000,
  );

  it(
    verifies('web.offline', 'a verdict given offline is sent once for the decision as it was shown, or is refused'),
    async () => {
      const goal = await web.goal('go on a train');
      const [kept, changed] = [await web.halt(goal, 'rm -rf kept'), await web.halt(goal, 'rm -rf changed')];
      const visitor = await visit('desk');
      const { page, context } = visitor;
      const sent: string[] = [];
      page.on('request', (request) => {
        if (request.url().includes('/verdict')) sent.push(request.url());
      });
      const skip = async (number: number): Promise<void> => {
        const card = page.getByRole('article', { name: `d${number}` });
        await visitor.pressUntil(
          card.getByRole('button', { name: 'Skip' }),
          card.getByText('This verdict is sent once'),
        );
      };
      await visitor.go(`goals/${goal.number}`);
      await page.getByRole('button', { name: 'Skip' }).nth(1).waitFor();
      await context.setOffline(true);
      await skip(kept);
      await skip(changed);
      await eventually('both are kept', async () =>
        (await page.getByText('This verdict is sent once').count()) === 2 ? true : null,
      );
      await web.db.pool.query(`update decisions set action = 'rm -rf other' where number = $1`, [changed]);
      sent.length = 0;
      await context.setOffline(false);
      await eventually('one is decided', async () => ((await stateOf(kept)).state === 'decided' ? true : null));
      await visitor.go('decisions');
      await page.getByText(/Not sent: d\d+: .*Read it again/).waitFor();
      expect((await stateOf(changed)).state).toBe('pending');
      expect(sent.length).toBe(2);
    },
    90_000,
  );

  it(
    verifies('web.flows', 'a verdict names the preview that the page shows, and no preview if it shows none'),
    async () => {
      const goal = await web.goal('try it first');
      const numbers = [await web.halt(goal, 'rm -rf tried'), await web.halt(goal, 'rm -rf untried')];
      const visitor = await visit('desk');
      const { page } = visitor;
      const id = randomUUID();
      // This replaces the sandbox, which does not run here.
      const part = { count: 0, sizeBytes: 0, names: [] };
      const ended = { exitCode: 0, timedOut: false, output: 'tried', isOutputCut: false, durationMs: 1 };
      const tried = { removed: part, changed: part, added: part, ...ended, lacks: [], direct: [] };
      await page.route('**/preview', (route) =>
        route.fulfill({ json: { ...tried, keeps: true, rerunReason: null, id } }),
      );
      await visitor.go(`goals/${goal.number}`);
      const card = (number: number | undefined) => page.getByRole('article', { name: `d${number}` });
      await card(numbers[0]).getByRole('button', { name: 'Preview' }).click();
      await card(numbers[0]).getByText('Proceed keeps this run.').waitFor();
      for (const number of numbers) {
        await visitor.pressTwice(card(number), /proceed/i);
        await eventually('it is decided', async () => (await stateOf(number)).verdict);
        await card(number).waitFor({ state: 'detached' });
      }
      const { rows } = await web.db.pool.query(
        'select preview from decisions where number = any($1::int[]) order by number',
        [numbers],
      );
      expect(rows).toEqual([{ preview: id }, { preview: null }]);
    },
    90_000,
  );

  it.each(['desk', 'phone'] as const)(
    verifies('web.flows', 'a verdict for the change window is given and taken back on the page, on a %s'),
    async (window) => {
      const day = new Date(Date.now() + 2 * 86_400_000).toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' });
      const windows = [{ days: [day.toLowerCase()], from: '00:00', to: '23:59', timezone: 'UTC' }];
      const change = (body: object) => web.client.request('PATCH', '/v1/spaces/general', body);
      await change({ windows });
      try {
        const goal = await web.goal(`not now, on a ${window}`);
        const number = await web.halt(goal, 'rm -rf later');
        const visitor = await visit(window);
        const { page } = visitor;
        await visitor.go(`goals/${goal.number}`);
        const card = page.getByRole('article', { name: `d${number}` });
        await card.getByText(/the change window opens: \d{4}-/).waitFor();
        const later = card.getByRole('button', { name: 'Proceed in the change window' });
        await later.scrollIntoViewIfNeeded();
        await eventually('the action was in sight', async () => (await later.isEnabled()) || null);
        await visitor.cardListens();
        const takeBack = card.getByRole('button', { name: 'Withdraw the approval' });
        expect(await takeBack.count()).toBe(0);
        if (window === 'desk') {
          await later.click();
          expect((await approvalOf(number)).given).toEqual([]);
          await page.waitForTimeout(500);
          await later.click();
        } else {
          const box = await later.boundingBox();
          expect(box?.height).toBeGreaterThanOrEqual(44);
          await page.mouse.move((box?.x ?? 0) + 20, (box?.y ?? 0) + 10);
          await page.mouse.down();
          await eventually('it was held', async () => (await approvalOf(number)).given.length === 1);
          await page.mouse.up();
        }
        await card.getByText(/runs when the change window opens: .*admin \(in the window\)/).waitFor();
        expect((await stateOf(number)).state).toBe('pending');
        await visitor.cardListens(); // the buttons of the card have moved down
        await takeBack.click();
        await takeBack.waitFor({ state: 'detached' });
        expect(await approvalOf(number)).toMatchObject({ given: [], waitsUntil: null });

        await change({ windows: [], approvals: [{ findings: ['*'], people: 2, notAuthor: true }] });
        const [other] = [await web.halt(goal, 'rm -rf by-two')];
        const second = page.getByRole('article', { name: `d${other}` });
        await second.getByText('needs 2 people: 0 of 2').waitFor();
        await second.getByText('not admin, who gave the goal').waitFor();
        expect(await second.getByRole('button', { name: 'Proceed in the change window' }).count()).toBe(0);
      } finally {
        await change({ windows: [], approvals: [] });
      }
    },
    90_000,
  );
});
