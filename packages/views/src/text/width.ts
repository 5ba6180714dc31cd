import { eastAsianWidth } from 'get-east-asian-width';

const COMBINING = /^[\p{Mn}\p{Me}\p{Cf}\p{Variation_Selector}\u1160-\u11ff]$/u;

/** Returns the cells of a code point: 0 if it joins the character before it, 2 for wide ones, otherwise 1. */
export function cellWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return 0;
  if (codePoint < 0x300) return 1;
  if (COMBINING.test(String.fromCodePoint(codePoint))) return 0;
  return eastAsianWidth(codePoint) === 2 ? 2 : 1;
}

/** Returns the terminal cells of a text without line breaks. */
export function textWidth(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length; // This is the most common case.
  let width = 0;
  for (const char of text) width += cellWidth(char.codePointAt(0) ?? 0);
  return width;
}

/** Matches characters that may join the one before them: marks, joiners, selectors, Hangul, flags, skin tones. */
const JOINS = /[\p{M}\p{Cf}\u1100-\u11ff\u{1f1e6}-\u{1f1ff}]|\p{Emoji_Modifier}/u;
let graphemes: Intl.Segmenter | null = null;

/** Splits a text where a cursor may stop: into the parts that people see as one character, such as an emoji family. */
export function splitCharacters(text: string): string[] {
  if (!JOINS.test(text)) return Array.from(text); // The segmenter is slow, so it is avoided if possible.
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return Array.from(graphemes.segment(text), ({ segment }) => segment);
}
