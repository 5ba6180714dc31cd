import { describe, expect, it } from '@jest/globals';
import { cellsOf } from './cells.js';
import { joinAltEnter, KeypressReader, type Input } from './keypress.js';
import { terminalKind } from './terminal.js';
import { span } from '@aish/views/line';

describe('KeypressReader', () => {
  it('KeypressReader names keys and returns their text', () => {
    const reader = new KeypressReader();
    expect([
      reader.read('a', { name: 'a' }),
      reader.read('Y', { name: 'y' }),
      reader.read('?', undefined),
      reader.read(' ', { name: 'space' }),
      reader.read('\u0003', { name: 'c', ctrl: true }),
      reader.read('\r', { name: 'enter', sequence: '\r' }),
      reader.read('\r', { name: 'return', sequence: '\r' }),
      reader.read(undefined, { name: 'up' }),
      reader.read('\u001b', { name: 'escape' }),
      reader.read(undefined, { name: 'p', meta: true }),
    ]).toEqual([
      { type: 'key', key: 'a', text: 'a' },
      { type: 'key', key: 'Y', text: 'Y' },
      { type: 'key', key: '?', text: '?' },
      { type: 'key', key: ' ', text: ' ' },
      { type: 'key', key: 'ctrl-c', text: null },
      { type: 'key', key: 'enter', text: null },
      null,
      { type: 'key', key: 'up', text: null },
      { type: 'key', key: 'escape', text: null },
      { type: 'key', key: 'alt-p', text: null },
    ]);
  });

  it('KeypressReader joins the halves of an emoji', () => {
    const reader = new KeypressReader();
    const [high = '', low = ''] = '👍'.split('');
    expect([reader.read(high, undefined), reader.read(low, undefined)]).toEqual([
      null,
      { type: 'key', key: '👍', text: '👍' },
    ]);
  });

  it('KeypressReader returns a paste as one piece with its line breaks, and reads no keys from it', () => {
    const reader = new KeypressReader();
    const paste = [
      reader.read(undefined, { name: 'undefined', code: '[200~' }),
      reader.read('p', { name: 'p' }),
      reader.read('\r', { name: 'enter', sequence: '\r' }),
      reader.read('\r', { name: 'return', sequence: '\r' }),
      reader.read('s', { name: 's' }),
      reader.read(undefined, { name: 'undefined', code: '[201~' }),
    ];
    expect(paste).toEqual([null, null, null, null, null, { type: 'pasted', text: 'p\ns' }]);
  });
});

describe('Alt-Enter', () => {
  const key = (name: string): Input => ({ type: 'key', key: name, text: null });
  const passed = () => new Promise((resolve) => setImmediate(resolve));

  it('Escape and Enter at the same time are read as Alt-Enter', () => {
    const got: Input[] = [];
    const join = joinAltEnter((input) => got.push(input));
    for (const name of ['escape', 'enter']) join(key(name));
    expect(got).toEqual([key('alt-enter')]);
  });

  it('Escape and Enter one after the other stay two keys, and no Escape is lost', async () => {
    const got: Input[] = [];
    const join = joinAltEnter((input) => got.push(input));
    join(key('escape'));
    await passed();
    join(key('enter'));
    for (const name of ['escape', 'escape', 'up']) join(key(name));
    await passed();
    expect(got).toEqual(['escape', 'enter', 'escape', 'escape', 'up'].map(key));
  });
});

describe('cellsOf', () => {
  it('cellsOf gives two cells to wide characters and none to combining ones', () => {
    expect(cellsOf([span('日e\u0301', 'bold')]).map(({ text }) => text)).toEqual(['日', ' ', 'e\u0301']);
  });
});

describe('terminalKind', () => {
  it.each([
    [undefined, null],
    ['dumb', null],
    ['linux', { name: 'linux', hasBracketedPaste: false }],
    ['xterm-256color', { name: 'xterm-256color', hasBracketedPaste: true }],
    ['screen-256color', { name: 'xterm-256color', hasBracketedPaste: true }],
    ['xterm-kitty', { name: 'xterm-kitty', hasBracketedPaste: true }],
  ])('terminalKind returns the right terminal for TERM=%s', (term, kind) => expect(terminalKind(term)).toEqual(kind));
});
