import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { StreamCleaner, cleanText, colouredText, oneLine, showExact } from './sanitise.js';

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
  ])('cleanText turns %j into %j', (text, clean) => expect(cleanText(text)).toBe(clean));

  it('cleanText removes every control character', () => {
    fc.assert(fc.property(nasty, (text) => expect(withoutBreaks(cleanText(text))).not.toMatch(CONTROL)));
  });
});

describe('oneLine', () => {
  it('cleanText handles an overwritten line of a million characters', () => {
    const long = 'x'.repeat(1_000_000);
    expect(cleanText(`first\r${long}`)).toBe(long); // This would hang if every character started a search of the line.
  });

  it('oneLine turns line breaks into spaces', () => expect(oneLine(' a\n  b\r\nc ')).toBe('a b c'));
});

describe('showExact', () => {
  it.each([
    ['rm -rf /\u202e', 'rm -rf /\\u{202e}'],
    ['rm\u00a0-rf', 'rm\\u{a0}-rf'],
    ['a\tb\nc', 'a\\tb\nc'],
    ['\u001b[2Kecho', '\\u{1b}[2Kecho'],
    ['x\u3164y', 'x\\u{3164}y'],
    ['rm -rf build\u034f/*', 'rm -rf build\\u{34f}/*'],
    ['rm a\u{1d159}b\u{16fe4}', 'rm a\\u{1d159}b\\u{16fe4}'],
    ['rm bu\u0456ld', 'rm bu\\u{456}ld'],
    ['echo "日本 é"', 'echo "日本 é"'],
  ])('showExact shows %j as %j', (text, shown) => expect(showExact(text)).toBe(shown));

  it('showExact never shortens the text and leaves no control character in it', () => {
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
  it('StreamCleaner holds a split escape sequence until its end arrives', () => {
    const cleaner = new StreamCleaner();
    expect([
      cleaner.push('a\u001b'),
      cleaner.push('[3'),
      cleaner.push('1mb\u001b]0;ti'),
      cleaner.push('tle\u0007c'),
    ]).toEqual(['a', '', 'b', 'c']);
  });

  it('StreamCleaner removes every control character, however the text is split', () => {
    fc.assert(
      fc.property(fc.array(nasty, { maxLength: 6 }), (pieces) => {
        const cleaner = new StreamCleaner();
        const printed = pieces.map((piece) => cleaner.push(piece)).join('');
        expect(withoutBreaks(printed)).not.toMatch(CONTROL);
      }),
    );
  });

  it('StreamCleaner shows the text after an escape sequence that never ends', () => {
    const cleaner = new StreamCleaner();
    const printed = cleaner.push('\u001b]0;') + cleaner.push('x'.repeat(10_000)) + cleaner.push(' after');
    expect(printed).toContain('after');
  });
});

describe('the colours of a command', () => {
  const shown = (text: string) => colouredText(text).map(({ text: piece, style }) => [style, piece]);

  it('colouredText shows the text colours in the output of a command', () => {
    expect(shown('a \u001b[31mred\u001b[0m b \u001b[1;32mgreen\u001b[m')).toEqual([
      ['plain', 'a '],
      ['bad', 'red'],
      ['plain', ' b '],
      ['string', 'green'],
    ]);
    expect(shown('\u001b[38;5;3mx\u001b[38;2;1;2;3my')).toEqual([
      ['warn', 'x'],
      ['plain', 'y'],
    ]);
  });

  it('a colour in the output of a command continues on the next line and disappears with overwritten text', () => {
    expect(shown('\u001b[34mone\ntwo')).toEqual([
      ['name', 'one'],
      ['plain', '\n'],
      ['name', 'two'],
    ]);
    expect(shown('\u001b[31m10 %\r\u001b[32m100 %')).toEqual([['string', '100 %']]);
  });

  it('colouredText removes cursor movements, background colours and links from the output of a command', () => {
    const attack =
      '\u001b[2J\u001b[41;37m HALT \u001b[0m\u001b]8;;http://x\u0007link\u001b[8mhidden\u202e\u001b[7mx\u001b[10;10Hy\u009b31mz';
    const spans = colouredText(attack);
    expect(spans.map(({ text }) => text).join('')).toBe(' HALT linkhiddenxyz');
    expect(spans.every(({ style }) => style === 'plain')).toBe(true);
  });

  it('colours in the output of a command do not change the text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '\u001b',
            '[',
            '3',
            '1',
            ';',
            'm',
            '\r',
            '\n',
            'a',
            '\u009b',
            ']',
            '\u0007',
            'é',
            'K',
            '0',
            '38',
            '5',
          ),
          {
            maxLength: 40,
          },
        ),
        (pieces) => {
          const text = pieces.join('');
          const shown = colouredText(text)
            .map((each) => each.text)
            .join('');
          expect(shown).not.toMatch(/(?!\n)\p{Cc}/u);
          if (!text.includes('\r')) expect(shown).toBe(cleanText(text));
        },
      ),
    );
  });
});
