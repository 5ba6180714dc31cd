import { GoalList } from '@aish/contracts/goals';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { verifies } from '../../requirements.js';
import { Visitor, openChromium } from '../../support/browser.js';
import { eventually } from '../../support/eventually.js';
import { plan, plans, slowWords } from '../../support/plan.js';
import { scriptedStack } from '../../support/scripted-stack.js';

const SLOW = { text: `${slowWords(120)} the end.`, chunkChars: 5, delayMs: 50 };

describe('the timeline on the page', () => {
  let browser: Browser;
  const visitors: Visitor[] = [];
  const running = scriptedStack(
    plans({
      'tell me very slowly': plan({ ...SLOW, delayMs: 150 }),
      'tell me slowly': plan(SLOW, 'the second answer', 'the third answer'),
      'and ask me': plan('CMD: rm -rf asked', 'as you like'),
      'make and break': plan(
        'CMD: echo kept > a',
        'CMD: rm -rf other',
        `CMD: ls ${'-l '.repeat(3)}`,
        'GOAL: complete\nall is **made**',
      ),
    }),
  );
  beforeAll(async () => {
    browser = await openChromium();
  }, 60_000);
  afterEach(() => Promise.all(visitors.splice(0).map((visitor) => visitor.close())));
  afterAll(() => browser?.close());
  const visit = async (): Promise<Visitor> => {
    const visitor = await Visitor.open(browser, running.stack.client.url, 'phone');
    visitors.push(visitor);
    await visitor.signIn(String(running.stack.client.token));
    return visitor;
  };
  /** Begins a chat on the page. */
  const say = async ({ page }: Visitor, text: string): Promise<void> => {
    await page.getByPlaceholder('Say something').fill(text);
    await page.getByRole('button', { name: /^Send/ }).click();
  };

  it(
    verifies('web.chat', 'after a reload in the middle of an answer, the page shows the timeline from its beginning'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go('chats');
      await say(visitor, 'tell me slowly');
      await page.getByText('word9').waitFor();
      await page.reload();
      const answer = page.locator('#main .entry').filter({ hasText: /^word word word2 / });
      await answer.filter({ hasNotText: 'the end.' }).waitFor();
      await page.getByText('the end.').waitFor();
      expect((await page.locator('#main').textContent())?.match(/word/g)).toHaveLength(120);
    },
    60_000,
  );

  it(
    verifies('web.chat', 'a second tab that opens in the middle of an answer shows the timeline from its beginning'),
    async () => {
      const visitor = await visit();
      await visitor.go('chats');
      await say(visitor, 'tell me very slowly');
      await visitor.page.getByText('word9').waitFor();
      const second = await visitor.openTab(visitor.page.url());
      await second
        .locator('#main .entry')
        .filter({ hasText: /^word word word2 / })
        .filter({ hasNotText: 'the end.' })
        .waitFor();
      await second.getByText('the end.').waitFor();
      expect((await second.locator('#main').textContent())?.match(/word/g)).toHaveLength(120);
    },
    60_000,
  );

  it(
    verifies('web.chat', 'the page queues messages, also over a reload, and gives one of them back'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go('chats');
      await say(visitor, 'tell me slowly');
      await page.getByText('word9').waitFor();
      await say(visitor, 'and then');
      await say(visitor, 'rather not');
      const queued = page.locator('.queued');
      await queued.filter({ hasText: 'and then' }).waitFor();
      await page.reload();
      await queued.filter({ hasText: 'rather not' }).getByRole('button', { name: 'Withdraw' }).click();
      expect(await page.getByPlaceholder('Say something').inputValue()).toBe('rather not');
      await page.getByText('the second answer').waitFor();
      await queued.first().waitFor({ state: 'detached' });
      expect(await page.getByText('the third answer').count()).toBe(0);
    },
    60_000,
  );

  it(
    verifies('web.chat', 'the page asks before a message withdraws a question'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go('chats');
      await say(visitor, 'and ask me');
      const card = await visitor.questionAbout('rm -rf asked');
      expect(await card.getByLabel('Do not ask again in this chat').isVisible()).toBe(true);
      expect(await card.getByRole('button', { name: 'End the answer' }).isVisible()).toBe(true);
      expect(await card.innerText()).not.toMatch(/this goal|the goal/);
      await say(visitor, 'never mind');
      await page.getByText(/Your message withdraws d\d+/).waitFor();
      const [asked] = await running.stack.client.pendingDecisions();
      expect(asked?.action).toBe('rm -rf asked');
      await page.waitForTimeout(500);
      await page.getByRole('button', { name: /^Send/ }).click();
      await page.getByText('as you like').waitFor();
      expect(await running.stack.client.pendingDecisions()).toEqual([]);
    },
    60_000,
  );

  it(
    verifies(
      'web.record',
      'the page shows the result first, a proposal beside the command that ran, and an undo at its step',
    ),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await visitor.giveGoal('make and break');
      const halt = await visitor.questionAbout('rm -rf other');
      await halt.getByRole('button', { name: 'Run something else instead' }).click();
      await halt.getByLabel('Run something else instead').fill('echo edited > b');
      await visitor.pressTwice(halt, /run this instead/i);
      await page.getByText('all is made').first().waitFor();
      const [goal] = (await running.stack.client.json(GoalList, 'GET', '/v1/goals?limit=1')).items;
      await visitor.go('goals');
      await page.getByText('make and break').first().click();
      const result = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Result' }) });
      await result.getByText('all is made').waitFor();
      expect(await page.evaluate('scrollY')).toBe(0);
      expect((await result.boundingBox())?.y).toBeLessThan(844);
      const edited = page.getByRole('article').filter({ hasText: 'echo edited > b' }).first();
      expect(await edited.textContent()).toMatch(
        /the model proposed:\$ rm -rf other.*this ran instead:\$ echo edited > b/,
      );
      const looked = page.getByRole('article').filter({ hasText: '$ ls' });
      await looked.getByText('exit 0').waitFor();
      expect(await looked.getByRole('button', { name: 'Undo' }).count()).toBe(0);
      const made = page.getByRole('article').filter({ hasText: '$ echo kept > a' });
      await made.getByRole('button', { name: 'Undo' }).click();
      await made.getByText('What would change:').waitFor();
      await made.getByText('This also undoes the later command.').waitFor();
      await made.getByRole('button', { name: 'Restore it' }).click();
      await made.getByText('The workspace was restored.').waitFor();
      await made.getByText(/^undone by admin/).waitFor();
      await page.getByRole('button', { name: 'Jump to the newest' }).click();
      await page.getByText(/undone by admin\S*: echo kept > a/).waitFor();
      await visitor.go('audit');
      await page.getByText(`undid \`echo kept > a\` of g${goal?.number} and everything after it`).waitFor();
      await page.getByText(/replaced d\d+: `rm -rf other` with `echo edited > b`/).waitFor();
    },
    90_000,
  );

  it(
    verifies('web.record', 'the timeline is at the same place after Back and after a reload'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      const { items } = await running.stack.client.json(GoalList, 'GET', '/v1/goals?limit=1');
      await visitor.go(`goals/${items[0]?.number}`);
      await page.getByText('$ echo edited > b').waitFor();
      await page.mouse.move(200, 400);
      await page.mouse.wheel(0, 350);
      await page.waitForTimeout(600);
      const top = await page.evaluate<number>('scrollY');
      expect(top).toBeGreaterThan(100);
      const isBack = () =>
        eventually('it is where it was', async () =>
          Math.abs((await page.evaluate<number>('scrollY')) - top) < 40 ? true : null,
        );
      await page.reload();
      await isBack();
      await page.evaluate(`location.hash = '#/hosts'`);
      await page.getByRole('button', { name: 'Add the host' }).waitFor();
      expect(await page.evaluate('scrollY')).toBe(0);
      await page.goBack();
      await isBack();
    },
    60_000,
  );
});
