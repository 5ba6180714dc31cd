import { splitCharacters, textWidth } from './width.js';

/** What a piece of text means; `palette.ts` says how that looks. */
export type Style =
  | 'plain'
  | 'dim'
  | 'bold'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'alarm'
  | 'guilty'
  | 'selected'
  | 'selectedDim'
  | 'italic'
  | 'heading'
  | 'code'
  | 'link'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'name'
  | 'match';

export interface Span {
  readonly text: string;
  readonly style: Style;
}

/** One line of a screen: spans of clean text (see sanitise.ts), no line breaks. */
export type Line = readonly Span[];

export function span(text: string, style: Style = 'plain'): Span {
  return { text, style };
}

export function line(text: string, style: Style = 'plain'): Line {
  return [{ text, style }];
}

export function textOf(content: Line): string {
  return content.map(({ text }) => text).join('');
}

export function lineWidth(content: Line): number {
  return content.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** The line at exactly `width` cells: cut with `…`, or filled up in `fill`. */
export function fit(content: Line, width: number, fill: Style = 'plain'): Line {
  const missing = width - lineWidth(content);
  if (missing > 0) return [...content, span(' '.repeat(missing), fill)];
  return missing === 0 ? content : cut(content, width, fill);
}

function cut(content: Line, width: number, fill: Style): Line {
  if (width <= 0) return [];
  const kept: Span[] = [];
  let room = width - 1;
  for (const { text, style } of content) {
    let piece = '';
    for (const unit of splitCharacters(text)) {
      const cells = textWidth(unit);
      if (cells > room) return [...kept, span(`${piece}…`, style), ...padding(room, fill)];
      piece += unit;
      room -= cells;
    }
    kept.push(span(piece, style));
  }
  return kept;
}

function padding(width: number, style: Style): Span[] {
  return width > 0 ? [span(' '.repeat(width), style)] : [];
}
