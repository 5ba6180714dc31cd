import { describe, expect, it } from '@jest/globals';
import { initialModel } from '../model.js';
import { textOf } from '../text/line.js';
import { helpLines } from '../views/help.view.js';
import { KEYS, keyLabel } from './keys.js';
import { parsePrompt } from './meta-commands.js';

const model = initialModel({ server: 'http://localhost', cols: 80, rows: 24, nowMs: 0 });

describe('the table of keys', () => {
  it('gives each key one meaning in each place', () => {
    const uses = KEYS.flatMap(({ keys, places }) => places.flatMap((place) => keys.map((key) => `${place}: ${key}`)));
    expect(uses.filter((use, index) => uses.indexOf(use) !== index)).toEqual([]);
  });

  it('makes the help', () => {
    const help = helpLines(model).map(textOf).join('\n');
    for (const { does } of KEYS) expect(does === null || help.includes(does)).toBe(true);
    expect(help).toMatch(/Ctrl-X Ctrl-C {6}cancel the chosen goal/);
  });

  it('has no Enter at a HALT', () => {
    const keys = KEYS.filter(({ places }) => places.includes('HALT')).flatMap(({ keys }) => keys);
    expect(keys).not.toContain('enter');
  });

  it.each([
    ['ctrl-x ctrl-c', 'Ctrl-X Ctrl-C'],
    ['pageup', 'PgUp'],
    ['d', 'd'],
    ['up', 'Up'],
  ])('%s is written %s', (key, label) => expect(keyLabel(key)).toBe(label));
});

describe('parsePrompt', () => {
  it.each([
    [' list files ', { type: 'goal', text: 'list files' }],
    [':norris list\nfiles', { type: 'goal', text: 'list\nfiles' }],
    [':norris', { type: 'wrong', message: 'write the goal after :norris' }],
    [':norris off', { type: 'norris off' }],
    [':quit', { type: 'quit' }],
    [':nope', { type: 'wrong', message: 'there is no command :nope; :help lists them' }],
  ])('%j', (text, read) => expect(parsePrompt(text)).toEqual(read));
});
