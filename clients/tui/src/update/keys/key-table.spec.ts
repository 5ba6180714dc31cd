import { describe, expect, it } from '@jest/globals';
import { initialModel } from '../../initial-model.js';
import { textOf } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';
import { helpLines } from '../../views/help.lines.js';
import { ACTIONS } from '@aish/views/key-actions';
import { bindingFor, keyLabel } from '../../keys/binding.js';
import { KEYS, keysWith } from './key-table.js';

const model = initialModel({ server: 'http://localhost', cols: 80, rows: 24, nowMs: 0, keys: KEYS });

describe('the table of keys', () => {
  it('each key has one meaning in each place', () => {
    const uses = KEYS.flatMap(({ keys, places }) => places.flatMap((place) => keys.map((key) => `${place}: ${key}`)));
    expect(uses.filter((use, index) => uses.indexOf(use) !== index)).toEqual([]);
  });

  it('every action that the configuration may name has a key', () => {
    const used = new Set(KEYS.map(({ action }) => action));
    expect(ACTIONS.filter((action) => !used.has(action))).toEqual([]);
  });

  it('the help describes every key in the key table', () => {
    const help = helpLines(model).map(textOf);
    const told = help.join(' ').replaceAll(/ +/g, ' ');
    for (const { help: does } of KEYS) expect(does === null || told.includes(does)).toBe(true);
    expect(help.join('\n')).toMatch(/Ctrl-X Ctrl-C {13}abort a goal of Norris/);
  });

  it('the help fits in 80 columns and aligns the descriptions in one column', () => {
    const help = helpLines(model);
    expect(help.filter((each) => lineWidth(each) > 80).map(textOf)).toEqual([]);
    const text = help.map(textOf).join('\n');
    expect(text).toMatch(/^ {2}:safety list +List the rules that stop commands/m);
    expect(text).toMatch(/^ {2}:memory accept <number> \[content\.\.\.\]\n {28}Accept a proposed memory/m);
    expect(text).toMatch(/^ {2}:model \[preset\] {11}Choose the model of this chat, or list models/m);
  });

  it('configured keys replace the defaults of the key table', () => {
    const mine = { ...model, keys: keysWith({ find: ['ctrl-s'] }) };
    expect([bindingFor(mine, 'ctrl-s')?.action, bindingFor(mine, 'ctrl-f')?.action]).toEqual(['find', undefined]);
    expect(helpLines(mine).map(textOf).join('\n')).toMatch(/Ctrl-S +search the history/);
  });

  it('Enter has no binding at a HALT', () => {
    const keys = KEYS.filter(({ places }) => places.includes('HALT')).flatMap(({ keys }) => keys);
    expect(keys).not.toContain('enter');
  });

  it.each([
    ['ctrl-x ctrl-c', 'Ctrl-X Ctrl-C'],
    ['pageup', 'PgUp'],
    ['d', 'd'],
    ['up', '↑'],
    ['shift-tab', 'Shift-Tab'],
  ])('the key %s is shown as %s', (key, label) => expect(keyLabel(key)).toBe(label));
});
