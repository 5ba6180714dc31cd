import { span, type Line, type Span, type Style } from '../line.js';
import { splitCharacters, textWidth } from './width.js';

export function lineWidth(content: Line): number {
  return content.reduce((sum, { text }) => sum + textWidth(text), 0);
}

/** Returns the line at exactly `width` cells: cut with `…`, or filled in style `fill`. */
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
