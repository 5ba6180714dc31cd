/// <reference lib="dom" />
import { AuditList } from '@aish/contracts/audit';
import { Decision } from '@aish/contracts/decisions';
import { NewToken } from '@aish/contracts/tokens';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { verifies } from '../requirements.js';
import { ApiClient } from '../support/api.client.js';
import type { Visitor, WindowName } from '../support/browser.js';
import { eventually } from '../support/eventually.js';
import { WebStack, type SeededGoal } from './web.stack.js';

const TOO_SOON = 'This has just moved. Press again.';

describe('a verdict on the page', () => {
  let web: WebStack;
  let ann: ApiClient;
  const visitors: Visitor[] = [];
  beforeAll(async () => {
    web = await WebStack.start();
    const { token } = await web.client.json(NewToken, 'POST', '/v1/tokens', { name: 'ann', scopes: ['decide'] });
    ann = new ApiClient(web.client.url, token);
  }, 120_000);
  afterEach(async () => {
    await Promise.all(visitors.splice(0).map((visitor) => visitor.close()));
    for (const { number } of await web.client.pendingDecisions()) await web.client.decide(number, 'abort');
  });
  afterAll(() => web?.stop());

  const decision = (number: number) => web.client.json(Decision, 'GET', `/v1/decisions/d${number}`);
  const verdictsOf = (numbers: readonly number[]) =>
    Promise.all(numbers.map(async (number) => (await decision(number)).verdict));
  const card = ({ page }: Visitor, number: number): Locator => page.getByRole('article', { name: `d${number}` });
  const button = (within: Locator, name: RegExp): Locator => within.getByRole('button', { name });
  /** Creates a goal with several similar HALTs, and shows the list of decisions. */
  async function halts(count: number, window: WindowName = 'desk') {
    const goal: SeededGoal = await web.goal('tidy up');
    const numbers: number[] = [];
    for (let n = 1; n <= count; n += 1) numbers.push(await web.halt(goal, `rm -rf copy-${n}`));
    const visitor = await web.visit(window);
    visitors.push(visitor);
    await visitor.go('decisions');
    for (const number of numbers) await card(visitor, number).waitFor();
    await visitor.page.waitForTimeout(800);
    return { goal, numbers, visitor, first: numbers[0] ?? 0, second: numbers[1] ?? 0 };
  }
  /** Clicks at the same place of the window, regardless of the element there. */
  async function pressAt({ page }: Visitor, at: Locator, gapsMs: readonly number[]): Promise<void> {
    const box = await at.boundingBox();
    const [x, y] = [(box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) / 2];
    for (const gapMs of gapsMs) {
      await page.mouse.click(x, y);
      await page.waitForTimeout(gapMs);
    }
  }

  /**
   * Starts to watch for the end of a card, and clicks at this place in the second frame after it. The page itself does
   * so, because a click from outside can arrive on a slow machine when the half second for moved cards is over.
   */
  function clickWhenGone({ page }: Visitor, number: number, x: number, y: number): Promise<void> {
    return page.evaluate(
      ({ name, at }) => {
        const isGone = (): boolean => document.getElementById(name) === null;
        if (isGone()) throw new Error(`${name} is not on the page`);
        const watching = new MutationObserver(() => {
          if (!isGone()) return;
          watching.disconnect();
          requestAnimationFrame(() =>
            requestAnimationFrame(() => {
              const there = document.elementFromPoint(at.x, at.y);
              if (there instanceof HTMLElement) there.click();
            }),
          );
        });
        watching.observe(document.body, { childList: true, subtree: true });
      },
      { name: `d${number}`, at: { x, y } },
    );
  }

  it.each(['desk', 'phone'] as const)(
    verifies('verdict.no-accident', 'a double tap on Skip answers one card and not the next one, on a %s'),
    async (window) => {
      const { visitor, numbers, first, second } = await halts(4, window);
      await pressAt(visitor, button(card(visitor, first), /^Skip$/), [220, 0]);
      await card(visitor, first).waitFor({ state: 'detached' });
      await visitor.page.waitForTimeout(1_000);
      expect(await verdictsOf(numbers)).toEqual(['skip', null, null, null]);
      // The button is at the place of the first card, and is pressed as soon as it appears.
      const { x = 0, y = 0 } = (await button(card(visitor, second), /^Skip$/).boundingBox()) ?? {};
      await clickWhenGone(visitor, second, x + 20, y + 10);
      await button(card(visitor, second), /^Skip$/).click();
      await visitor.page.getByText(TOO_SOON).waitFor();
      expect(await verdictsOf(numbers)).toEqual(['skip', 'skip', null, null]);
    },
    90_000,
  );

  it(
    verifies('verdict.no-accident', 'a card that moves up because another one was answered elsewhere ignores a click'),
    async () => {
      const { visitor, numbers, first } = await halts(3);
      const at = button(card(visitor, first), /^Skip$/);
      const { x = 0, y = 0 } = (await at.boundingBox()) ?? {};
      await clickWhenGone(visitor, first, x + 20, y + 10);
      await ann.decide(first, 'skip');
      await visitor.page.getByText(TOO_SOON).waitFor();
      expect(await verdictsOf(numbers)).toEqual(['skip', null, null]);
    },
    60_000,
  );

  it(
    verifies('verdict.no-accident', 'the button Abort needs two presses, and says so after the first'),
    async () => {
      const { visitor, numbers, first } = await halts(2);
      // The second press comes at once, as with a double click.
      const at = (await button(card(visitor, first), /^Abort/).boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
      await visitor.page.mouse.dblclick(at.x + at.width / 2, at.y + at.height / 2);
      await visitor.page.waitForTimeout(1_000);
      expect(await verdictsOf(numbers)).toEqual([null, null]);
      const again = button(card(visitor, first), /^Press again to abort/);
      await again.waitFor();
      await again.click();
      await eventually('it is decided', async () => (await decision(first)).verdict);
      await visitor.page.waitForTimeout(500);
      expect(await verdictsOf(numbers)).toEqual(['abort', null]);
    },
    60_000,
  );

  it.each([/proceed/i, /abort/i])(
    verifies('verdict.no-accident', 'a key held down on %s counts as one press'),
    async (name) => {
      const { visitor, first } = await halts(1);
      const { keyboard } = visitor.page;
      const held = button(card(visitor, first), name);
      await held.focus();
      for (const key of ['Enter', ' ']) {
        await keyboard.down(key);
        await visitor.page.waitForTimeout(400);
        for (let n = 0; n < 20; n += 1) {
          await keyboard.down(key); // a second keydown without a keyup is a repetition
          await visitor.page.waitForTimeout(33);
        }
        await keyboard.up(key);
        await visitor.page.waitForTimeout(300);
        expect((await decision(first)).state).toBe('pending');
        // The first press expires after a while.
        await button(card(visitor, first), /^Press again/).waitFor({ state: 'detached' });
      }
      await keyboard.press('Enter');
      await visitor.page.waitForTimeout(500);
      await keyboard.press('Enter');
      await eventually('it is decided', async () => (await decision(first)).verdict);
    },
    60_000,
  );

  it(
    verifies('verdict.note', 'every verdict on the page can have a note, which is recorded'),
    async () => {
      const { visitor, numbers } = await halts(3);
      const presses = [/proceed/i, /^Skip$/, /abort/i];
      for (const [at, number] of numbers.entries()) {
        const one = card(visitor, number);
        await one.getByLabel('Note to the model').fill(`note ${at}`);
        await one.scrollIntoViewIfNeeded();
        await visitor.page.waitForTimeout(800);
        if (at === 1) await button(one, /^Skip$/).click();
        else await visitor.pressTwice(one, presses[at] ?? /^$/);
        await eventually('it is decided', async () => (await decision(number)).verdict);
        expect((await decision(number)).message).toBe(`note ${at}`);
      }
      const { items } = await web.client.json(AuditList, 'GET', '/v1/audit?limit=50');
      const given = items.filter(({ action }) => action === 'verdict.given').slice(0, 3);
      expect(given.map(({ facts }) => facts['message'])).toEqual(['note 2', 'note 1', 'note 0']);
    },
    60_000,
  );

  it(
    verifies(
      'verdict.text-kept',
      'a card on the page that was answered elsewhere stays, says who decided and how, and the person closes it',
    ),
    async () => {
      const { visitor, first, second } = await halts(2);
      const one = card(visitor, first);
      const note = one.getByLabel('Note to the model');
      await note.fill('use the trash');
      await ann.decide(first, 'skip');
      await one.getByText(`d${first} was answered elsewhere: skip by ann`).waitFor();
      expect(await note.inputValue()).toBe('use the trash');
      expect(await button(one, /proceed|skip|abort/i).count()).toBe(0);
      await card(visitor, second).waitFor();
      await button(one, /^Close$/).click();
      await one.waitFor({ state: 'detached' });
      // Nothing was typed on this card, so a line reports the verdict.
      await ann.decide(second, 'skip');
      await visitor.page.getByText(`d${second} was answered elsewhere: skip by ann`).waitFor();
      await card(visitor, second).waitFor({ state: 'detached' });
    },
    60_000,
  );

  it(
    verifies('verdict.text-kept', 'a person who loses a race of two verdicts learns who decided and how'),
    async () => {
      const { visitor, first } = await halts(1);
      const one = card(visitor, first);
      await one.getByLabel('Note to the model').fill('not this one');
      await visitor.page.route('**/verdict', async (route) => {
        await ann.decide(first, 'abort');
        await route.continue();
      });
      await button(one, /^Skip$/).click();
      await one.getByText(`d${first} was answered elsewhere: abort by ann`).waitFor();
      expect(await one.getByLabel('Note to the model').inputValue()).toBe('not this one');
    },
    60_000,
  );
});
