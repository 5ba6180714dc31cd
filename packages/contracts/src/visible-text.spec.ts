import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { visibleText } from './visible-text.js';

it('names what a reader would not see, or would see elsewhere', () => {
  expect(visibleText('rm \u202Etxt.exe\u2066 a\u200Bb')).toBe('rm ⟨U+202E⟩txt.exe⟨U+2066⟩ a⟨U+200B⟩b');
  expect(visibleText('a\u001b[8mb\rc\u0000')).toBe('a⟨U+001B⟩[8mb⟨U+000D⟩c⟨U+0000⟩');
  expect(visibleText('\u{e0041}\u00ad\ufeff\u2028\u3164\ud800')).toBe(
    '⟨U+E0041⟩⟨U+00AD⟩⟨U+FEFF⟩⟨U+2028⟩⟨U+3164⟩⟨U+D800⟩',
  );
});

it('leaves what people write as it is', () => {
  for (const text of ['ls -l\n\tcat "a b"', 'straße 日本語 שלום 👍', '']) expect(visibleText(text)).toBe(text);
});

it('leaves nothing that is hidden, and loses nothing', () => {
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
