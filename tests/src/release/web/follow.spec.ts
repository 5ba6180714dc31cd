import { Decision } from '@aish/contracts/decisions';
import { describe, expect, it } from '@jest/globals';
import { verifies } from '../../requirements.js';
import { eventually } from '../../support/eventually.js';
import { step } from '../../web/story.js';
import { webSuite } from '../../web/web.suite.js';

const LONG = `rm -rf first; cat > script <<'X'\n${Array.from({ length: 60 }, (_, n) => `echo line ${n}`).join('\n')}\nX`;

describe('a goal that a person follows on a phone', () => {
  const suite = webSuite('phone');
  const { visit } = suite;
  const story = (id: string) =>
    [1, 2, 3].flatMap((n) => step(id, n, `Step ${n}.`, `look ${n}`, Array.from({ length: 30 }, () => 'x').join('\n')));

  it(
    verifies(
      'web.flows',
      'a long question is shown from its start, and proceeds only after its start and its end were seen',
    ),
    async () => {
      const goal = await suite.web.goal('a long question', ({ id }) => story(id));
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go(`goals/${goal.number}`);
      await page.getByText('Step 3.').waitFor();
      const number = await suite.web.halt(goal, LONG);
      const card = page.getByRole('article', { name: `d${number}` });
      const action = card.getByRole('heading', { name: 'The full action' });
      await action.waitFor();
      await eventually('the question starts in the window', async () => {
        const box = await action.boundingBox();
        return box !== null && box.y >= 0 && box.y < 844 ? true : null;
      });
      const proceed = card.getByRole('button', { name: /proceed/i });
      expect(await proceed.isDisabled()).toBe(true);
      // A glimpse of the start does not count.
      await visitor.cardListens();
      await proceed.scrollIntoViewIfNeeded();
      await eventually('the end was seen', async () => (await proceed.isEnabled()) || null);
      // A person who is typing stays at the end, and has not seen the start.
      const other = await suite.web.goal('a long question while typing', ({ id }) => story(id));
      await visitor.go(`goals/${other.number}`);
      await page.getByText('Step 3.').waitFor();
      await page.getByPlaceholder('Message to the model').fill('still typing');
      const second = page.getByRole('article', { name: `d${await suite.web.halt(other, LONG)}` });
      await second.getByText('Read the whole action first.').waitFor();
      expect(await second.getByRole('button', { name: /proceed/i }).isDisabled()).toBe(true);
      expect(await page.getByPlaceholder('Message to the model').inputValue()).toBe('still typing');
      expect((await suite.web.client.json(Decision, 'GET', `/v1/decisions/d${number}`)).state).toBe('pending');
    },
    60_000,
  );

  it(
    verifies('web.keyboard', 'a goal that was opened with the keyboard is followed to its end, too'),
    async () => {
      const goal = await suite.web.goal('opened by keyboard', ({ id }) => story(id));
      const visitor = await visit();
      const { page } = visitor;
      await page.getByText('opened by keyboard').waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: `Goal ${goal.number}` }).waitFor();
      await eventually(
        'the newest step is in the window',
        async () => {
          const box = await page.getByText('Step 3.').boundingBox();
          return box !== null && box.y > 0 && box.y < 844 ? true : null;
        },
        { timeoutMs: 10_000 },
      );
      const number = await suite.web.halt(goal, LONG);
      const action = page
        .getByRole('article', { name: `d${number}` })
        .getByRole('heading', { name: 'The full action' });
      await eventually(
        'the question starts in the window',
        async () => {
          const box = await action.boundingBox();
          return box !== null && box.y >= 0 && box.y < 844 ? true : null;
        },
        { timeoutMs: 10_000 },
      );
      expect(await page.evaluate('scrollY')).toBeGreaterThan(0);
    },
    60_000,
  );

  it(
    verifies('web.record', 'the end of the story stays in the window when the goal ends'),
    async () => {
      const goal = await suite.web.goal('an end', ({ id }) => story(id));
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go(`goals/${goal.number}`);
      await page.getByText('Step 3.').waitFor();
      // The charts and snapshots of a real goal are higher than the window.
      await page.evaluate(`document.styleSheets[0].insertRule('.after { min-height: 2000px }')`);
      await suite.web.tell(goal, [
        {
          type: 'goal.changed',
          goalId: goal.id,
          state: 'done',
          reason: null,
          waitingFor: null,
          summary: 'It has ended.',
        },
      ]);
      await page.getByRole('heading', { name: 'Result' }).waitFor();
      await page.waitForTimeout(1_000);
      const end = page.locator('.virtual').getByText('It has ended.');
      await end.waitFor();
      const box = await end.boundingBox();
      expect(box === null ? -1 : box.y).toBeGreaterThan(0);
      expect(box === null ? -1 : box.y).toBeLessThan(844);
    },
    60_000,
  );

  it(
    verifies('web.flows', 'Enter sends a message to a working goal, and text that is typed while it is sent stays'),
    async () => {
      const goal = await suite.web.goal('steer me', ({ id }) => story(id));
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go(`goals/${goal.number}`);
      const box = page.getByPlaceholder('Message to the model');
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      await page.route('**/v1/sessions/*/messages', async (route) => {
        await held;
        await route.continue();
      });
      await box.fill('the first one');
      await box.press('Enter');
      await page.keyboard.type('the second one');
      release();
      await page.locator('.virtual').getByText('the first one').waitFor();
      expect(await box.inputValue()).toBe('the second one');
    },
    60_000,
  );

  it(
    verifies('web.flows', 'the page of a decision that is already answered says how, and leads to its goal'),
    async () => {
      const goal = await suite.web.goal('already answered', ({ id }) => story(id));
      const number = await suite.web.halt(goal, 'rm -rf gone');
      await suite.web.client.json(Decision, 'POST', `/v1/decisions/d${number}/verdict`, { verdict: 'skip' });
      const visitor = await visit();
      const { page } = visitor;
      await visitor.go(`decisions/d${number}`);
      await page.getByText('skip by admin').waitFor();
      await page.getByRole('link', { name: `Goal ${goal.number}` }).click();
      await page.getByRole('heading', { name: `Goal ${goal.number}` }).waitFor();
      expect(page.url()).toContain(`#/goals/${goal.number}`);
    },
    60_000,
  );
});
