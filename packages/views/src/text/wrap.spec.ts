import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { line, span, textOf } from '../line.js';
import { fit, lineWidth } from './fit.js';
import { cellWidth, splitCharacters, textWidth } from './width.js';
import { wrapSpans, wrapText } from './wrap.js';

const texts = (lines: readonly (readonly { text: string }[])[]) =>
  lines.map((each) => each.map(({ text }) => text).join(''));
const anyText = fc.string({ unit: fc.constantFrom('a', 'bc', ' ', '日', '👍', 'e\u0301', '\n', '-'), maxLength: 60 });

describe('cellWidth', () => {
  it.each([
    ['a', 1],
    ['é', 1],
    ['\u0301', 0],
    ['日', 2],
    ['👍', 2],
    ['⚡', 2],
    ['●', 1],
    ['│', 1],
    ['\u001b', 0],
  ])('%j is %i cells wide', (char, width) => expect(cellWidth(char.codePointAt(0) ?? 0)).toBe(width));
});

describe('splitCharacters', () => {
  it('splitCharacters never splits a visible character, such as a flag or a family emoji', () => {
    for (const one of ['e\u0301', '👍🏽', '👨‍👩‍👧', '🇩🇪', '한', '❤️']) {
      expect(splitCharacters(`a${one}日`)).toEqual(['a', one, '日']);
    }
  });
});

describe('wrapText', () => {
  it('wrapText breaks between words and keeps the indent', () => {
    expect(texts(wrapText('one two three', 'plain', 9, { indent: '  ' }))).toEqual(['  one two', '  three']);
  });

  it('wrapText breaks a word longer than the line', () => {
    expect(texts(wrapText('abcdefgh ij', 'plain', 4))).toEqual(['abcd', 'efgh', 'ij']);
  });

  it('wrapText keeps empty lines and leading spaces', () => {
    expect(texts(wrapText('a\n\n  b', 'plain', 10))).toEqual(['a', '', '  b']);
  });

  it('wrapText never exceeds the width', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 4, max: 30 }), (text, width) => {
        const widths = wrapText(text, 'plain', width, { indent: ' ' }).map(lineWidth);
        expect(Math.max(...widths)).toBeLessThanOrEqual(width);
      }),
    );
  });

  // A zero-width mark forces the path for non-ASCII text.
  it('wrapSpans breaks ASCII text in the same way as other text', () => {
    const ascii = fc.string({ unit: fc.constantFrom('a', 'bc', ' ', ' ', '\n', '-'), maxLength: 80 });
    const styled = fc.array(fc.tuple(ascii, fc.constantFrom('plain' as const, 'bold' as const)), { maxLength: 5 });
    fc.assert(
      fc.property(styled, fc.integer({ min: 4, max: 30 }), fc.boolean(), (pieces, width, exact) => {
        const plain = pieces.map(([text, style]) => span(text, style));
        const marked = plain.map(({ text, style }) => span(text.replaceAll('a', 'a\u0301'), style));
        const unmarked = wrapSpans(marked, width, { exact }).map((each) =>
          each.map(({ text, style }) => span(text.replaceAll('\u0301', ''), style)),
        );
        expect(wrapSpans(plain, width, { exact })).toEqual(unmarked);
      }),
      { numRuns: 1_000 },
    );
  });

  it('wrapSpans loses no character of an exact text except line breaks', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 4, max: 30 }), (text, width) => {
        const spans = [span(text.slice(0, 5), 'bold'), span(text.slice(5), 'guilty')];
        expect(texts(wrapSpans(spans, width, { exact: true })).join('')).toBe(text.replaceAll('\n', ''));
      }),
    );
  });
});

describe('fit', () => {
  it('fit ends a cut line with an ellipsis, and pads a short line with spaces', () => {
    expect([textOf(fit(line('abcdef'), 4)), textOf(fit(line('ab'), 4)), textOf(fit(line('日本語'), 4))]).toEqual([
      'abc…',
      'ab  ',
      '日… ',
    ]);
  });

  it('fit always returns a line of the requested width', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 30 }), (text, width) => {
        const clean = text.replaceAll('\n', '');
        const fitted = fit([span(clean.slice(0, 3), 'bold'), span(clean.slice(3))], width);
        expect(textWidth(textOf(fitted))).toBe(width);
      }),
    );
  });
});
