import { Decision } from '@aish/contracts/decisions';
import { GoalList } from '@aish/contracts/goals';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import type { Visitor } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { step } from './story.js';
import { WebStack } from './web.stack.js';

describe('the flows of the page', () => {
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
  const decision = (number: number) => web.client.json(Decision, 'GET', `/v1/decisions/d${number}`);

  it.each(['desk', 'phone'] as const)(
    verifies('web.flows', 'a goal is given, followed, halted and answered on the page, on a %s'),
    async (window) => {
      const visitor = await web.visit(window);
      visitors.push(visitor);
      const { page } = visitor;
      await page.getByRole('link', { name: 'New goal' }).click();
      await page.getByLabel('What should be done?').fill(`tidy up on a ${window}`);
      await page.getByRole('button', { name: 'Start goal' }).click();
      await page.getByRole('heading', { name: /^Goal \d+/ }).waitFor();
      const { items } = await web.client.json(GoalList, 'GET', '/v1/goals?limit=1');
      const [goal] = items;
      if (goal === undefined) throw new Error('no goal was given');
      expect(goal.text).toBe(`tidy up on a ${window}`);
      await web.tell(goal, step(goal.id, 1, 'I *look* first.', 'ls -l', 'total 0'));
      await page.getByText('total 0').waitFor();
      const number = await web.halt(goal, 'rm -rf build');
      const proceed = page.getByRole('button', { name: /proceed/i });
      await proceed.waitFor();
      expect(await page.locator('pre.action mark').textContent()).toBe('rm -rf');
      await proceed.scrollIntoViewIfNeeded();
      await eventually('the end of the action was in sight', async () => (await proceed.isEnabled()) || null);
      await visitor.cardListens();
      if (window === 'desk') {
        await proceed.click();
        // One press may be accidental.
        expect((await decision(number)).state).toBe('pending');
        await page.waitForTimeout(500);
        await proceed.click();
      } else {
        const box = await proceed.boundingBox();
        expect(box?.height).toBeGreaterThanOrEqual(44);
        await visitor.hold(proceed);
      }
      await eventually('it is decided', async () => ((await decision(number)).verdict === 'proceed' ? true : null));
      await web.tell(goal, [
        {
          type: 'goal.changed',
          goalId: goal.id,
          state: 'done',
          reason: null,
          waitingFor: null,
          summary: 'all is tidy',
        },
      ]);
      await page.getByText('all is tidy').first().waitFor();
      expect(visitor.complaints.filter((each) => !/\b(401|503)\b/.test(each))).toEqual([]);
    },
    90_000,
  );

  it('the page says so if a person enters the path of the token file instead of the token', async () => {
    const visitor = await web.newcomer();
    visitors.push(visitor);
    const { page } = visitor;
    await page.goto(`${visitor.url}/`);
    await page.getByLabel('Token').fill('/home/you/.local/share/aish/token');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('This is the path of the file.').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
  }, 60_000);

  it(
    verifies('web.flows', 'one button stops every goal if it is pressed twice'),
    async () => {
      const goals = [await web.goal('tidy up here'), await web.goal('tidy up there')];
      const visitor = await web.visit();
      visitors.push(visitor);
      const { page } = visitor;
      const states = async () => {
        const { items } = await web.client.json(GoalList, 'GET', '/v1/goals');
        return goals.map(({ id }) => items.find((each) => each.id === id)?.state);
      };
      await page.getByRole('button', { name: 'Stop everything' }).click();
      expect(await states()).toEqual(['running', 'running']);
      await page.waitForTimeout(500);
      await page.getByRole('button', { name: /again.*stop everything/i }).click();
      await eventually('both are paused', async () =>
        (await states()).every((state) => state === 'paused') ? true : null,
      );
    },
    60_000,
  );
});
