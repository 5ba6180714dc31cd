import { describe, expect, it } from '@jest/globals';
import { Decision } from '@aish/contracts/decisions';
import { verifies } from '../../requirements.js';
import type { Visitor } from '../../support/browser.js';
import { eventually } from '../../support/eventually.js';
import { webSuite } from '../../web/web.suite.js';

describe('the keyboard on the page', () => {
  const suite = webSuite('desk', async (web) => {
    await web.goal('water the tomatoes');
    await web.goal('feed the cat');
    await web.client.request('POST', '/v1/memory/items', { content: 'the tomatoes are on the balcony' });
  });
  const { visit } = suite;
  const focused = ({ page }: Visitor) => page.evaluate<string>('document.activeElement.textContent');

  it(
    verifies('web.keys', 'letter keys move through rows and to other screens, and are ordinary letters in a text box'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      const { keyboard } = page;
      await page.getByText('feed the cat').waitFor();
      await keyboard.press('j');
      expect(await focused(visitor)).toContain('feed the cat');
      await keyboard.press('j');
      expect(await focused(visitor)).toContain('water the tomatoes');
      await keyboard.press('k');
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: /^Goal \d+/ }).waitFor();
      await keyboard.press('g');
      await keyboard.press('m');
      await page.getByRole('heading', { name: 'Memory' }).waitFor();
      await page.getByPlaceholder('Remember something').focus();
      await keyboard.type('jog? /g');
      expect(await page.getByPlaceholder('Remember something').inputValue()).toBe('jog? /g');
    },
    60_000,
  );

  it(
    verifies('web.keys', 'the finder finds screens, commands, goals, numbers and memory items in one place'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      const { keyboard } = page;
      await page.getByText('feed the cat').waitFor();
      await keyboard.press('/');
      const dialog = page.getByRole('dialog', { name: 'Find anything' });
      await dialog.waitFor();
      await keyboard.type('tomatoes');
      await dialog.getByRole('option', { name: /water the tomatoes/ }).waitFor();
      await dialog.getByRole('option', { name: /on the balcony/ }).waitFor();
      await page.setViewportSize({ width: 390, height: 844 });
      const name = await dialog.getByText('water the tomatoes').boundingBox();
      expect(name?.height).toBeGreaterThan(10);
      await keyboard.press('Enter');
      await page.waitForURL(/#\/goals\/\d+/);
      await keyboard.press('Control+k');
      await keyboard.type('host trust');
      await dialog
        .getByRole('option', { name: /host trust/ })
        .first()
        .waitFor();
      await keyboard.press('Enter');
      await page.waitForURL(/#\/hosts/);
      await dialog.waitFor({ state: 'detached' });
      await keyboard.press('/');
      await dialog.waitFor();
      await keyboard.type('g1');
      await dialog.getByRole('option', { name: /^g1/ }).waitFor();
      await keyboard.press('Enter');
      await page.waitForURL(/#\/goals\/1/);
      await keyboard.press('/');
      await keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await page.evaluate('location.hash')).toBe('#/goals/1');
    },
    60_000,
  );

  it(
    verifies('web.keys', 'the page lists its letter keys with ?, and they can be switched off'),
    async () => {
      const visitor = await visit();
      const { page } = visitor;
      await page.getByText('feed the cat').waitFor();
      await page.keyboard.press('?');
      const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await dialog.getByLabel('Letter keys work on this device').uncheck();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await page.keyboard.press('j');
      await page.keyboard.press('?');
      await page.waitForTimeout(300);
      expect([await dialog.count(), (await focused(visitor)).includes('feed the cat\u200b')]).toEqual([0, false]);
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog', { name: 'Find anything' }).waitFor();
    },
    60_000,
  );

  it(
    verifies('web.keys', 'the focus moves to the next card after a verdict, and a screen reader announces new cards'),
    async () => {
      const goal = await suite.web.goal('ask twice');
      const first = await suite.web.halt(goal, 'rm -rf one');
      const second = await suite.web.halt(goal, 'rm -rf two');
      const visitor = await visit();
      const { page } = visitor;
      await page.getByRole('status').filter({ hasText: '2 decisions pending' }).waitFor({ state: 'attached' });
      await visitor.go('decisions');
      const card = (number: number) => page.getByRole('article', { name: `d${number}` });
      await card(second).waitFor();
      await visitor.cardListens();
      await card(first).getByRole('button', { name: 'Skip', exact: true }).focus();
      await page.keyboard.press('Enter');
      await card(first).waitFor({ state: 'detached' });
      await eventually('the next card has the focus', async () =>
        (await focused(visitor)).includes('rm -rf two') ? true : null,
      );
      expect((await suite.web.client.json(Decision, 'GET', `/v1/decisions/d${second}`)).state).toBe('pending');
    },
    60_000,
  );
});
