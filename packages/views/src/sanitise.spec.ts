import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StreamCleaner, cleanText, oneLine, showExact } from './sanitise.js';

const CONTROL = /[\p{Cc}\p{Cf}]/u;
const withoutBreaks = (text: string) => text.replaceAll('\n', '');
const nasty = fc.string({
  unit: fc.constantFrom(
    'a',
    '[',
    ']',
    '0',
    ';',
    'm',
    'J',
    '\\',
    '\u001b',
    '\u009b',
    '\u0007',
    '\r',
    '\n',
    '\u202e',
    '日',
  ),
  maxLength: 40,
});

describe('cleanText', () => {
  it.each([
    ['\u001b[31mred\u001b[0m', 'red'],
    ['\u001b]0;title\u0007text', 'text'],
    ['\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
    ['\u009b2Jgone', 'gone'],
    ['a\u001bcb', 'ab'],
    ['10%\r50%\r100%\nnext', '100%\nnext'],
    ['one\r\ntwo\r\n', 'one\ntwo\n'],
    ['10%\r\r50%\r', '50%'],
    ['a\tb', 'a    b'],
    ['left\u202eright\u200b', 'leftright'],
    ['⚠\ufe0f 👍\u{1f3fd}', '⚠ 👍'],
    ['bell\u0007 null\u0000', 'bell null'],
  ])('%j becomes %j', (text, clean) => expect(cleanText(text)).toBe(clean));

  it('never lets a control character through', () => {
    fc.assert(fc.property(nasty, (text) => expect(withoutBreaks(cleanText(text))).not.toMatch(CONTROL)));
  });
});

describe('oneLine', () => {
  it('takes a long line that was drawn over once as fast as a short one', () => {
    const long = 'x'.repeat(1_000_000);
    expect(cleanText(`first\r${long}`)).toBe(long); // hangs where every character begins a search of the line
  });

  it('makes spaces of line breaks', () => expect(oneLine(' a\n  b\r\nc ')).toBe('a b c'));
});

describe('showExact', () => {
  it.each([
    ['rm -rf /\u202e', 'rm -rf /\\u{202e}'],
    ['rm\u00a0-rf', 'rm\\u{a0}-rf'],
    ['a\tb\nc', 'a\\tb\nc'],
    ['\u001b[2Kecho', '\\u{1b}[2Kecho'],
    ['x\u3164y', 'x\\u{3164}y'],
    ['echo "日本 é"', 'echo "日本 é"'],
  ])('%j is shown as %j', (text, shown) => expect(showExact(text)).toBe(shown));

  it('drops nothing and lets no control character through', () => {
    fc.assert(
      fc.property(nasty, (text) => {
        const shown = showExact(text);
        expect(shown.length).toBeGreaterThanOrEqual(text.length);
        expect(withoutBreaks(shown)).not.toMatch(CONTROL);
      }),
    );
  });
});

describe('StreamCleaner', () => {
  it('holds an escape sequence that is cut in two until its end has come', () => {
    const cleaner = new StreamCleaner();
    expect([
      cleaner.push('a\u001b'),
      cleaner.push('[3'),
      cleaner.push('1mb\u001b]0;ti'),
      cleaner.push('tle\u0007c'),
    ]).toEqual(['a', '', 'b', 'c']);
  });

  it('never lets a control character through, however the text is cut', () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 6 }), (pieces) => {
        const cleaner = new StreamCleaner();
        const printed = pieces.map((piece) => cleaner.push(piece)).join('');
        expect(withoutBreaks(printed)).not.toMatch(CONTROL);
      }),
    );
  });

  it('lets go of a sequence that never ends', () => {
    const cleaner = new StreamCleaner();
    const printed = cleaner.push('\u001b]0;') + cleaner.push('x'.repeat(10_000)) + cleaner.push(' after');
    expect(printed).toContain('after');
  });
});
