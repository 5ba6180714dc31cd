import { Decision } from '@aish/contracts/decisions';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { eventually } from '../../support/eventually.js';
import { webSuite } from '../../web/web.suite.js';

describe('the page without a network', () => {
  const suite = webSuite('phone');
  const { visit } = suite;

  it(
    verifies('web.recovers', 'the page shows a screen that was first opened offline as soon as the network is back'),
    async () => {
      const visitor = await visit();
      const { page, context } = visitor;
      await context.setOffline(true);
      await page.evaluate(`location.hash = '#/hosts'`);
      await page.getByText('Loading…').waitFor();
      await page.waitForTimeout(3_000);
      await context.setOffline(false);
      await page.getByRole('button', { name: 'Add the host' }).waitFor({ timeout: 10_000 });
      await page.getByText('Loading…').waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: 'Add the host' }).isVisible()).toBe(true);
    },
    60_000,
  );

  it(
    verifies('web.recovers', 'the page names a verdict that waits, keeps it visible, and takes it back with its note'),
    async () => {
      const goal = await suite.web.goal('offline');
      const number = await suite.web.halt(goal, 'rm -rf far-away');
      const visitor = await visit();
      const { page, context } = visitor;
      await visitor.go(`goals/${goal.number}`);
      const card = page.getByRole('article', { name: `d${number}` });
      await card.getByLabel('Note to the model').fill('not this one');
      await visitor.cardListens();
      await context.setOffline(true);
      await visitor.pressUntil(
        card.getByRole('button', { name: 'Skip', exact: true }),
        card.getByText('This verdict is sent once'),
      );
      const banner = page.locator('.offline');
      await banner.getByText(`d${number}: skip rm -rf far-away`).waitFor();
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
      const box = await banner.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual(0);
      await banner.getByRole('button', { name: 'Do not send it' }).click();
      expect(await card.getByLabel('Note to the model').inputValue()).toBe('not this one');
      await context.setOffline(false);
      await banner.waitFor({ state: 'detached' });
      await page.waitForTimeout(1_000);
      expect((await suite.web.client.json(Decision, 'GET', `/v1/decisions/d${number}`)).state).toBe('pending');
      await visitor.cardListens();
      await card.getByRole('button', { name: 'Skip', exact: true }).click();
      const decided = await eventually('it is decided', async () => {
        const decision = await suite.web.client.json(Decision, 'GET', `/v1/decisions/d${number}`);
        return decision.verdict === null ? null : decision;
      });
      expect([decided.verdict, decided.message]).toEqual(['skip', 'not this one']);
    },
    90_000,
  );

  it(
    verifies(
      'web.recovers',
      'an edited verdict that waits shows its own command, and gives all its text back after a reload',
    ),
    async () => {
      const goal = await suite.web.goal('edited offline');
      const number = await suite.web.halt(goal, 'rm -rf everything');
      const visitor = await visit();
      const { page, context } = visitor;
      await visitor.go(`goals/${goal.number}`);
      const card = page.getByRole('article', { name: `d${number}` });
      const edited = card.getByLabel('Run something else instead');
      await visitor.pressUntil(card.getByRole('button', { name: 'Run something else instead' }), edited);
      await edited.fill('rm -rf one-part');
      await card.getByLabel('Note to the model').fill('only this part');
      // The service worker is installed after a second, and the reload needs it.
      await page.evaluate('navigator.serviceWorker.ready');
      await page.waitForTimeout(1_500);
      await page.reload();
      await card.getByLabel('Note to the model').waitFor();
      await visitor.cardListens();
      await context.setOffline(true);
      const send = card.getByRole('button', { name: /Run this instead/i });
      await send.click();
      await page.waitForTimeout(500);
      await send.click();
      await page.locator('.offline').getByText('edit rm -rf one-part').waitFor();
      await page.reload();
      await page.locator('.offline').getByRole('button', { name: 'Do not send it' }).click();
      expect(await edited.inputValue()).toBe('rm -rf one-part');
      expect(await card.getByLabel('Note to the model').inputValue()).toBe('only this part');
      await context.setOffline(false);
    },
    90_000,
  );

  it(
    verifies(
      'web.recovers',
      'a verdict that was sent later is the person’s own, and one that came too late keeps its note',
    ),
    async () => {
      const goal = await suite.web.goal('answered offline');
      const number = await suite.web.halt(goal, 'rm -rf mine');
      const other = await suite.web.halt(goal, 'rm -rf theirs');
      const visitor = await visit();
      const { page, context } = visitor;
      await visitor.go('decisions');
      const cardOf = (n: number) => page.getByRole('article', { name: `d${n}` });
      for (const n of [number, other]) await cardOf(n).getByLabel('Note to the model').fill(`note ${n}`);
      await visitor.cardListens();
      await context.setOffline(true);
      for (const n of [number, other]) {
        await visitor.pressUntil(
          cardOf(n).getByRole('button', { name: 'Skip', exact: true }),
          cardOf(n).getByText('This verdict is sent once'),
        );
      }
      await suite.web.client.json(Decision, 'POST', `/v1/decisions/d${other}/verdict`, { verdict: 'abort' });
      await context.setOffline(false);
      await cardOf(number).waitFor({ state: 'detached' });
      expect(await page.getByText(`d${number} was answered elsewhere`).count()).toBe(0);
      await cardOf(other).getByText(`d${other} was answered elsewhere: abort by admin`).waitFor();
      expect(await cardOf(other).getByLabel('Note to the model').inputValue()).toBe(`note ${other}`);
      await visitor.go('goals');
      await page.getByRole('alert').getByText(`Not sent: d${other}`).waitFor();
      const { verdict, message } = await suite.web.client.json(Decision, 'GET', `/v1/decisions/d${number}`);
      expect([verdict, message]).toEqual(['skip', `note ${number}`]);
    },
    90_000,
  );

  it(
    verifies('web.recovers', 'the page is live again after a new sign-in in the same tab'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await suite.web.db.pool.query(
        `update api_tokens set revoked_at = now() where id in (select id from api_tokens order by created_at desc limit 1)`,
      );
      const token = page.getByLabel('Token');
      await eventually(
        'the page asks for a token',
        async () => {
          if (await token.isVisible()) return true;
          await suite.web.goal('a goal before the sign-in');
          return null;
        },
        { everyMs: 1_000 },
      );
      await token.fill(String(suite.web.client.token));
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
      await page.getByRole('navigation').waitFor();
      await page.waitForTimeout(1_000);
      const goal = await suite.web.goal('a goal after the sign-in');
      await suite.web.halt(goal, 'rm -rf later');
      await page.getByText('a goal after the sign-in').waitFor();
      expect(await page.getByText('a goal after the sign-in').isVisible()).toBe(true);
    },
    60_000,
  );

  it(
    verifies(
      'web.recovers',
      'a second tab leaves and returns with the first one, and its requests use the new session',
    ),
    async () => {
      const token = String(suite.web.client.token);
      const { page: first, context } = await visit();
      const second = await context.newPage();
      await second.goto(`${suite.web.client.url}/app/#/chats`);
      const box = second.getByPlaceholder('Say something');
      await box.fill('not sent yet');
      await first.evaluate(`location.hash = '#/settings'`);
      await first.getByRole('button', { name: 'Sign out', exact: true }).first().click();
      await second.getByLabel('Token').waitFor();
      await first.getByLabel('Token').fill(token);
      await first.keyboard.press('Enter');
      await first.getByRole('navigation').waitFor();
      await box.waitFor();
      // A browser without shared workers says nothing to its other tabs.
      await second.evaluate(
        `fetch('/v1/web/session', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '${JSON.stringify({ token })}' })`,
      );
      await box.fill('with the new session');
      await box.press('Enter');
      await second.waitForURL(/#\/chats\/\d+/);
      expect(await second.getByText('x-aish-csrf').count()).toBe(0);
    },
    60_000,
  );
});
