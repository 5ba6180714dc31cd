import { describe, expect, it } from '@jest/globals';
import { decisionOf, sessionOf } from '@aish/client/testing/fixtures';
import { line, textOf } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';
import { Play } from '../testing/play.js';
import { footOf, inMargin, isCovered } from './inline.view.js';

const inline = (cols: number, rows: number): Play => {
  const play = new Play();
  play.model = { ...play.model, isInline: true };
  return play.send({ type: 'resized', cols, rows }, { type: 'chatOpened', session: sessionOf(1), isNew: false });
};
const live = Array.from({ length: 50 }, (_, n) => line(`line ${n} ${'日本 '.repeat(40)}`));

describe('the lowest rows of an inline screen', () => {
  it.each([
    [80, 24],
    [120, 40],
    [40, 10],
    [12, 5],
    [1, 1],
  ])('the lowest rows fit on a screen of %i×%i, with and without a question', (cols, rows) => {
    const play = inline(cols, rows);
    for (const { model } of [play, inline(cols, rows).send({ type: 'decisionsListed', decisions: [decisionOf(7)] })]) {
      const { lines, cursor } = footOf(model, live);
      expect(lines.length).toBeLessThanOrEqual(rows);
      expect(lines.filter((each) => lineWidth(each) > cols)).toEqual([]);
      if (cursor !== null) expect(cursor.row).toBeLessThan(lines.length);
    }
  });

  it('growing text leaves two thirds of the screen to what was printed', () => {
    const { lines } = footOf(inline(80, 24).model, live);
    const shown = lines.map(textOf).filter((text) => text.startsWith(' line'));
    expect([shown.length, shown.at(-1)?.slice(0, 8)]).toEqual([8, ' line 49']);
  });

  it('a question is shown completely above the prompt', () => {
    const play = inline(80, 24).send({ type: 'decisionsListed', decisions: [decisionOf(7)] });
    const shown = footOf(play.model, live).lines.map(textOf).join('\n');
    expect(shown).toMatch(/NORRIS HALT[\s\S]*cd x && rm -rf build[\s\S]*p proceed[\s\S]*\[aish:fast/);
    expect(shown).not.toContain(' │\n');
  });

  it.each([6, 7])('a screen of %i rows has no room for the action, so it cannot be approved', (rows) => {
    const play = inline(80, rows).send({ type: 'decisionsListed', decisions: [decisionOf(7)] });
    play.wait(2_000).alone('p', 'pagedown', 'pagedown', 'pagedown', 'p');
    expect(play.done().filter(({ type }) => type === 'giveVerdict')).toEqual([]);
  });

  it('lists and pages cover the screen, and the chat with a question does not', () => {
    const play = inline(80, 24).send({ type: 'decisionsListed', decisions: [decisionOf(7)] });
    expect([play.model.overlay?.type, isCovered(play.model)]).toEqual(['halt', false]);
    expect(isCovered(play.press('f2').model)).toBe(true);
    expect(isCovered(play.press('f1').model)).toBe(false);
    expect(isCovered(play.press('ctrl-o').model)).toBe(true);
  });

  it('printed lines end with their text', () => {
    expect(inMargin([line('four   ')], 80).map(textOf)).toEqual([' four']);
  });
});
