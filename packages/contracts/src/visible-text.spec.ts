import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { dropHidden, escapeHidden, visibleText } from './visible-text.js';

it('visibleText marks every character that is invisible or that reorders the text', () => {
  expect(visibleText('rm \u202Etxt.exe\u2066 a\u200Bb')).toBe('rm ⟨U+202E⟩txt.exe⟨U+2066⟩ a⟨U+200B⟩b');
  expect(visibleText('a\u001b[8mb\rc\u0000')).toBe('a⟨U+001B⟩[8mb⟨U+000D⟩c⟨U+0000⟩');
  expect(visibleText('\u{e0041}\u00ad\ufeff\u2028\u3164\ud800')).toBe(
    '⟨U+E0041⟩⟨U+00AD⟩⟨U+FEFF⟩⟨U+2028⟩⟨U+3164⟩⟨U+D800⟩',
  );
});

it.each([
  '034F', '115F', '1160', '17B4', '180B', '200B', '202E', '2066', '2800', '3164', 'FE00', 'FE0E', 'FE0F', 'FEFF', 'FFA0',
  '16FE4', '1D159', 'E0001', 'E0041', 'E0100', 'E01EF', '00A0', '1680', '2003', '2007', '202F', '205F', '3000',
])('U+%s is marked in a command, dropped from other text and escaped in JSON', (hex) => {
  const char = String.fromCodePoint(parseInt(hex, 16));
  expect(visibleText(`rm -rf build${char}/*`)).toBe(`rm -rf build⟨U+${hex}⟩/*`);
  expect(['build/*', 'build /*']).toContain(dropHidden(`build${char}/*`));
  const escaped = escapeHidden(JSON.stringify(char));
  expect([JSON.parse(escaped), /^[\x20-\x7e]+$/.test(escaped)]).toEqual([char, true]);
}); // prettier-ignore

it.each([
  ['rm -rf buіld/*', 'rm -rf bu⟨U+0456⟩ld/*'],
  ['cat logs/сору', 'cat logs/⟨U+0441⟩⟨U+043E⟩⟨U+0440⟩⟨U+0443⟩'],
  ['cat /srv/Αlpha', 'cat /srv/⟨U+0391⟩lpha'],
])('letters of another script in the Latin path of %s are marked', (text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

it.each(['ls -l\n\tcat "a b"', 'straße 日本語 שלום 👍 é', 'rm logs/отчёт.txt', 'привет, мир', 'Αθήνα 5 µm 10 kΩ', ''])(
  'ordinary text stays unchanged: %s',
  (text) => {
    expect(visibleText(text)).toBe(text);
  },
);

it('visibleText leaves no hidden character, and its input can be restored', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(visibleText(text)).not.toMatch(/[^\P{C}\n\t\p{Cn}\p{Co}]|[\u2028\u2029]/u);
      const back = visibleText(text).replaceAll(/⟨U\+([\dA-F]+)⟩/g, (_, hex) =>
        String.fromCodePoint(parseInt(hex, 16)),
      );
      if (!text.includes('⟨')) expect(back).toBe(text);
    }),
  );
});
