import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { verifies } from '../requirements.js';
import { plan, plans } from '../support/plan.js';
import type { Terminal } from '../support/terminal.js';
import { SMALL, TuiStack, dialogListens } from '../support/tui.stack.js';

const paragraphs = Array.from({ length: 20 }, (_, n) => `Paragraph ${n} has its own words, and number ${n * n}.`);
const script = plans({
  'tell me much': plan(paragraphs.join('\n\n')),
  'remove it': plan('I remove it.\nCMD: rm -rf old'),
  'keep it': plan('I remove it.\nCMD: rm -rf old'),
  'tidy up': plan('I make a copy.\nCMD: echo x > copy', 'I delete it.\nCMD: rm -rf copy', 'GOAL: complete\nAll tidy.'),
});

describe('the inline terminal UI', () => {
  let tui: TuiStack;

  beforeAll(async () => {
    tui = await TuiStack.start({ script, size: SMALL, tokensPerSecond: 200 });
  }, 120_000);

  afterEach(() => tui?.close());

  afterAll(() => tui?.stop(), 60_000);

  const open = (): Promise<Terminal> => tui.open({}, '--inline');
  /** Expects each part once, in this order. */
  const expectOnce = (text: string, parts: readonly string[]): void => {
    const found = parts.map((part) => text.split(part).length - 1);
    expect(found).toEqual(parts.map(() => 1));
    expect(parts.toSorted((a, b) => text.indexOf(a) - text.indexOf(b))).toEqual(parts);
  };

  it(
    verifies(
      'tui.inline',
      'a chat and a goal stay in the scrollback, once and in order, even after the terminal UI ends',
    ),
    async () => {
      const ui = await open();
      await ui.submit(':norris tidy up');
      await ui.shows(/NORRIS HALT[\s\S]*rm -rf copy/);
      await dialogListens();
      await ui.press('p');
      await ui.shows('✓ done');
      await ui.submit('tell me much');
      // The first paragraphs have left the screen before the last one arrives.
      await ui.shows('Paragraph 12 ');
      expect(await ui.scrollback()).toContain('Paragraph 0 ');
      await ui.shows(/Paragraph 19 [\s\S]*scripted · /);
      expect(await ui.fact('alternate_on')).toBe('0');
      await ui.press('C-q');
      await ui.shows('ended with 0');
      const story = await ui.scrollback();
      expect(story).not.toContain('[aish:');
      expect(story).not.toContain('NORRIS HALT');
      expectOnce(story, [
        'I make a copy.',
        '$ echo x > copy',
        'I delete it.',
        '$ rm -rf copy',
        'HALT ',
        'proceed by admin',
        '✓ done',
        '› tell me much',
        ...paragraphs.map((each) => each.slice(0, 16)),
        'ended with 0',
      ]);
    },
    90_000,
  );

  it(
    verifies('tui.inline', 'text that is typed while a question appears stays in the prompt and answers nothing'),
    async () => {
      const ui = await open();
      await ui.submit('keep it');
      await ui.typeByHand('please stop');
      await ui.shows('1 pending decision');
      const screen = await ui.shows('please stop');
      expect(screen).not.toContain('CONFIRM');
      expect((await tui.client.pendingDecisions()).length).toBe(1);
      await ui.press(...Array.from('please stop', () => 'BSpace'));
      await ui.shows('CONFIRM COMMAND');
      await ui.press('Enter', 'Enter');
      await dialogListens();
      await ui.press('s');
      await ui.shows('not run: skipped by admin');
    },
    90_000,
  );

  it(
    verifies('tui.inline', 'a resize while a question waits keeps the story and the question'),
    async () => {
      const ui = await open();
      await ui.submit('remove it');
      await ui.shows('CONFIRM COMMAND');
      for (const width of [40, 100, 80]) {
        await ui.resize(width, 24);
        await ui.shows(/CONFIRM COMMAND[\s\S]*rm -rf old[\s\S]*online/);
      }
      await dialogListens();
      await ui.press('p');
      await ui.shows('exit 0 ');
      const story = await ui.scrollback();
      expectOnce(story, ['› remove it', 'I remove it.', '\n     proceed by admin', 'exit 0 ', '[aish:']);
      expect(story).not.toContain('CONFIRM COMMAND');
    },
    90_000,
  );

  it(
    verifies('tui.inline', 'a list covers the screen until it is closed, and Ctrl-C has three stages'),
    async () => {
      const ui = await open();
      await ui.press('F2');
      await ui.shows('─ GOALS');
      expect(await ui.fact('alternate_on')).toBe('1');
      await ui.press('F1');
      await ui.shows('write a message');
      expect(await ui.fact('alternate_on')).toBe('0');
      await ui.type('half a sentence');
      await ui.press('C-c');
      await ui.shows('cleared');
      await ui.press('C-c');
      await ui.shows('press Ctrl-C again to quit');
      await ui.press('C-c');
      const ended = await ui.shows('ended with 0');
      expect(ended).not.toContain('GOALS');
    },
    90_000,
  );
});
