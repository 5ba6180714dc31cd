import { describe, expect, it } from '@jest/globals';
import { sessionOf, uuid } from '@aish/client/testing/fixtures';
import { Play } from '../testing/play.js';
import { line, span, textOf } from '@aish/views/line';
import { frameOf } from '../views/frame.view.js';

const screen = (play: Play) => frameOf(play.model).lines.map(textOf).join('\n');
const MANY = 100_000;
const lines = Array.from({ length: MANY }, (_, n) => line(`line ${n + 1}`));
const withPage = () =>
  new Play().send({
    type: 'metaDone',
    title: 'seq 100000',
    lines,
    isGood: true,
    yes: null,
    candidates: 0,
    isPage: true,
  });

describe('a long output', () => {
  it('a person can page through a long output to its end and back', () => {
    const play = withPage();
    expect(screen(play)).toContain(`1/${MANY}`);
    expect(screen(play.press('G'))).toContain(`line ${MANY} `);
    expect(screen(play.press('g'))).toContain(' line 1 ');
    expect(screen(play.press('pagedown'))).toContain(' line 20 ');
    expect(screen(play.press('down'))).not.toContain(' line 19 ');
  });

  it('a search covers the whole output and can be repeated in both directions', () => {
    const play = withPage().press('/').type('line 99999').press('enter');
    expect(screen(play)).toContain('line 99999');
    expect(screen(play.press('/').type('777').press('enter'))).toMatch(/line 777/);
    expect(screen(play.press('n'))).toMatch(/line 1777/);
    expect(screen(play.press('N'))).toMatch(/^ line 777 /m);
    expect(play.press('/').type('nowhere').model.flash?.text).toBe('“nowhere” is not on this page');
    expect(play.press('escape').model.overlay?.type).toBe('page');
    expect(play.press('escape').model.overlay).toBeNull();
  });

  it('an output is loaded in parts around the visible lines', () => {
    const part = (from: number) => lines.slice(from - 1, from + 999);
    const of = (from: number) => ({ actionId: uuid(1), from, total: MANY });
    const play = new Play().send({
      type: 'metaDone',
      title: 'seq 100000',
      lines: part(1),
      isGood: true,
      yes: null,
      candidates: 0,
      isPage: true,
      output: of(1),
    });
    expect(screen(play)).toContain(`1/${MANY}`);
    expect(play.press('pagedown').done()).toEqual([]);

    const asked = (from: number, at?: number) => [
      { type: 'readOutput', actionId: uuid(1), from, ...(at !== undefined && { at }) },
    ];
    expect(play.press('G').done()).toEqual(asked(MANY - 500, MANY));
    expect(play.send({ type: 'outputRead', output: of(MANY - 500), lines: part(MANY - 500), at: MANY }).done()).toEqual(
      [],
    );
    expect(screen(play)).toContain(`line ${MANY} `);
    for (let n = 0; n < 26; n += 1) play.press('pageup');
    const seen = /(\d+)\/100000/.exec(screen(play))?.[1];
    const [before, ...others] = play.done();
    expect(others).toEqual([]);
    expect(before).toMatchObject({ type: 'readOutput', actionId: uuid(1) });
    const from = before?.type === 'readOutput' ? before.from : 0;
    play.send({ type: 'outputRead', output: of(from), lines: part(from) });
    expect(/(\d+)\/100000/.exec(screen(play))?.[1]).toBe(seen);

    expect(play.press('g').done()).toEqual(asked(1, 1));
    play
      .send({ type: 'outputRead', output: of(1), lines: part(1), at: 1 })
      .press('/')
      .done();
    expect(play.type('line 7777').done().at(-1)).toMatchObject({ type: 'findInOutput', text: 'line 7777', from: 1001 });
    expect(play.send({ type: 'outputFound', actionId: uuid(1), text: 'line', line: 5 }).done()).toEqual([]);
    const found = { type: 'outputFound', actionId: uuid(1), text: 'line 7777', line: 7_777 } as const;
    expect(play.send(found).done()).toEqual(asked(7_277, 7_777));
    play.send({ type: 'outputRead', output: of(7_277), lines: part(7_277), at: 7_777 });
    expect(screen(play)).toMatch(/^ line 7777 /m);
    expect(screen(play)).toContain(`7777/${MANY}`);
    play.press('enter').done();
    expect(play.press('N').done()).toEqual([
      { type: 'findInOutput', actionId: uuid(1), text: 'line 7777', from: 7_276, back: true },
    ]);
    play.send({ ...found, line: null });
    expect(play.model.flash?.text).toBe('“line 7777” is not on this page');
  });

  it('Alt-O reports that there is no output yet, and u requests the previous output', () => {
    const play = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    expect(play.press('alt-o').model.flash?.text).toBe('no command has printed anything yet');
    play.send({
      type: 'metaDone',
      title: 'ls',
      lines: [line('only')],
      isGood: true,
      yes: null,
      candidates: 0,
      isPage: true,
      older: { type: 'pageOutput', actionIds: [uuid(1), uuid(2)], nth: 1 },
    });
    expect(screen(play)).toContain('u: previous');
    play.done();
    expect(play.press('u').done()).toEqual([{ type: 'pageOutput', actionIds: [uuid(1), uuid(2)], nth: 1 }]);
  });

  it('Alt-C reports that no file has changed yet', () => {
    const play = new Play().send({ type: 'chatOpened', session: sessionOf(5), isNew: false });
    expect(play.press('alt-c').model.flash?.text).toBe('no file has changed yet');
  });

  it('a long output keeps its colours', () => {
    const play = new Play().send({
      type: 'metaDone',
      title: 'ls',
      lines: [[span('red', 'bad'), span(' plain')], line('b')],
      isGood: true,
      yes: null,
      candidates: 0,
    });
    const shown = frameOf(play.model).lines.flat();
    expect(shown.find(({ text }) => text === 'red')?.style).toBe('bad');
  });
});
