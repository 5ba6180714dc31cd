import { Decision } from '@aish/contracts/decisions';
import { NewToken } from '@aish/contracts/tokens';
import { describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { verifies } from '../../requirements.js';
import { Visitor } from '../../support/browser.js';
import { eventually } from '../../support/eventually.js';
import { webSuite } from '../../web/web.suite.js';

describe('text that a person types on the page', () => {
  const suite = webSuite('phone');
  const { visit } = suite;
  /** Returns every box with its place, the way to find it, and the element to open before. */
  const boxes = (goal: number, halt: number): readonly (readonly [string, (visitor: Visitor) => Locator, string])[] => [
    ['chats', ({ page }) => page.getByPlaceholder('Say something'), 'a new chat'],
    ['give', ({ page }) => page.getByLabel('What should be done?'), 'a goal'],
    [
      `goals/${goal}`,
      ({ page }) => page.getByRole('article', { name: `d${halt}` }).getByLabel('Note to the model'),
      'a note',
    ],
    ['memory', ({ page }) => page.getByPlaceholder('Remember something'), 'a fact'],
    ['schedules', ({ page }) => page.getByLabel('When (cron)'), '0 3 * * *'],
    ['hosts', ({ page }) => page.getByLabel('Address'), 'nas.lan'],
  ];

  it(
    verifies(
      'web.drafts',
      'typed text in every box survives leaving, a reload and a new sign-in, and a sign-out deletes it',
    ),
    async () => {
      const goal = await suite.web.goal('keep what I type');
      const all = boxes(goal.number, await suite.web.halt(goal, 'rm -rf kept'));
      const visitor = await visit();
      const { page } = visitor;
      const expectAll = async (isThere: boolean): Promise<void> => {
        for (const [hash, box, text] of all) {
          await visitor.go(hash);
          const shown = box(visitor);
          await shown.waitFor();
          const expected = isThere ? text : '';
          await eventually(`${hash} has its text`, async () => (await shown.inputValue()) === expected || null);
          expect([hash, await shown.inputValue()]).toEqual([hash, expected]);
        }
      };
      for (const [hash, box, text] of all) {
        await visitor.go(hash);
        await box(visitor).fill(text);
      }
      await expectAll(true);
      await page.reload();
      await expectAll(true);
      await suite.web.db.pool.query(
        `update api_tokens set revoked_at = now() where id in (select id from api_tokens order by created_at desc limit 1)`,
      );
      await page.reload();
      await visitor.signIn(String(suite.web.client.token));
      await expectAll(true);
      await visitor.go('settings');
      await page.getByRole('button', { name: 'Sign out', exact: true }).first().click();
      await page.getByLabel('Token').waitFor();
      await visitor.signIn(String(suite.web.client.token));
      await expectAll(false);
    },
    120_000,
  );

  it(
    verifies('web.drafts', 'typed text is not shown to another person in the same tab, and a secret is never stored'),
    async () => {
      const { token } = await suite.web.client.json(NewToken, 'POST', '/v1/tokens', { name: 'ann', scopes: ['admin'] });
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go('secrets');
      await page.getByLabel('Name').fill('NAS_KEY');
      await page.getByLabel('Value').fill('a key that nobody keeps');
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.getByLabel('Value').press('End');
      await visitor.go('give');
      await page.getByLabel('What should be done?').fill('mine alone');
      expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain('nobody keeps');
      await suite.web.db.pool.query(
        `update api_tokens set revoked_at = now() where id in (select id from api_tokens where name <> 'ann' order by created_at desc limit 1)`,
      );
      await page.reload();
      await visitor.signIn(token);
      await visitor.go('give');
      await page.getByLabel('What should be done?').waitFor();
      expect(await page.getByLabel('What should be done?').inputValue()).toBe('');
    },
    60_000,
  );

  it(
    verifies('web.drafts', 'typed text is counted near the limit, stays complete beyond it, and cannot be sent then'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go('give');
      const box = page.getByLabel('What should be done?');
      await box.fill('x'.repeat(15_000));
      expect(await page.getByText('of 20,000 characters').count()).toBe(0);
      await box.fill('x'.repeat(19_000));
      await page.getByText('19,000 of 20,000 characters.').waitFor();
      await box.fill('x'.repeat(20_431));
      await page.getByText('431 characters too many.').waitFor();
      expect((await box.inputValue()).length).toBe(20_431);
      expect(await page.getByRole('button', { name: 'Start goal' }).isDisabled()).toBe(true);
    },
    60_000,
  );

  it(
    verifies(
      'web.drafts',
      'typed text leaves its box with a verdict, and the note of an offline verdict is in that verdict',
    ),
    async () => {
      const goal = await suite.web.goal('note it');
      const number = await suite.web.halt(goal, 'rm -rf noted');
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go(`goals/${goal.number}`);
      const card = page.getByRole('article', { name: `d${number}` });
      await card.getByLabel('Note to the model').fill('not this one');
      await visitor.cardListens();
      await card.getByRole('button', { name: 'Skip', exact: true }).click();
      await card.waitFor({ state: 'detached' });
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('not this one');
      const decision = await suite.web.client.json(Decision, 'GET', `/v1/decisions/d${number}`);
      expect([decision.verdict, decision.message]).toEqual(['skip', 'not this one']);
    },
    60_000,
  );

  it(
    verifies(
      'web.drafts',
      "typed text goes into the chat that a first message began, and the chat's box has the focus",
    ),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go('chats');
      await page.getByPlaceholder('Say something').fill('the first one');
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\/chats\/\d+/);
      await eventually('the box has the focus', async () =>
        (await page.evaluate('document.activeElement.tagName')) === 'TEXTAREA' ? true : null,
      );
      await page.keyboard.type('and the next');
      expect(await page.getByPlaceholder('Say something').inputValue()).toBe('and the next');
    },
    60_000,
  );
});
