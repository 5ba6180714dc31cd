import type { Line, Style } from '../line.js';

/** Maps a style to the parameters of an SGR sequence; empty for none. */
export type Palette = Readonly<Record<Style, string>>;

const COLOURS: Palette = {
  plain: '',
  dim: '90',
  bold: '1',
  accent: '1;36',
  good: '32',
  bad: '31',
  warn: '33',
  alarm: '1;37;41',
  guilty: '1;7;31',
  selected: '7',
  selectedDim: '7',
  italic: '3',
  heading: '1;36',
  code: '36',
  link: '4;34',
  keyword: '35',
  string: '32',
  number: '36',
  comment: '90',
  name: '34',
  match: '7;33',
};

/**
 * A palette of attributes only. Important parts (objectionable text, the HALT banner) are reversed, so that they are
 * visible without colour.
 */
const MONOCHROME: Palette = {
  ...COLOURS,
  dim: '',
  accent: '1',
  good: '',
  bad: '1',
  warn: '',
  alarm: '1;7',
  guilty: '1;7',
  heading: '1;4',
  code: '',
  link: '4',
  keyword: '1',
  string: '',
  number: '',
  comment: '',
  name: '',
  match: '7',
};

const PLAIN: Palette = Object.fromEntries(Object.keys(COLOURS).map((style) => [style, ''])) as Palette;

/**
 * Returns the styles for a terminal with this many colours. They use only the theme's 16 colours and the default
 * background, so light themes work. Bright black needs 16 colours, because with 8 it would be black.
 */
export function paletteFor(colours: number): Palette {
  if (colours < 8) return MONOCHROME;
  return colours < 16 ? { ...COLOURS, dim: '', comment: '' } : COLOURS;
}

/** A palette without attributes, for pipes and files. */
export const plainPalette: Palette = PLAIN;

/** Returns the line as terminal text. */
export function toAnsi(content: Line, palette: Palette): string {
  return content
    .map(({ text, style }) => (palette[style] === '' ? text : `\u001b[${palette[style]}m${text}\u001b[0m`))
    .join('');
}
