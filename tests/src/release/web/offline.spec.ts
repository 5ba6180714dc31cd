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
});
