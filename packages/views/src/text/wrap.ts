import { span, type Line, type Span, type Style } from '../line.js';
import { lineWidth } from './fit.js';
import { splitCharacters, textWidth } from './width.js';

export interface WrapOptions {
  /** The prefix of every line, which counts as part of the width. */
  readonly indent?: string;
  /** Whether to break exactly after `width` cells, so that no text is lost at the line ends. */
  readonly exact?: boolean;
}

interface Unit {
  readonly text: string;
  readonly width: number;
  readonly style: Style;
}

/** Wraps clean text (with `\n`) into lines of at most `width` cells, between words if possible. */
export function wrapText(text: string, style: Style, width: number, options: WrapOptions = {}): Line[] {
  return wrapSpans([span(text, style)], width, options);
}

/** Wraps like wrapText, for text in several styles. Spans may contain line breaks. */
export function wrapSpans(
  spans: readonly Span[],
  width: number,
  { indent = '', exact = false }: WrapOptions = {},
): Line[] {
  const room = Math.max(2, width - textWidth(indent));
  const lead = indent === '' ? [] : [span(indent)];
  return paragraphs(spans).flatMap((paragraph) => {
    if (lineWidth(paragraph) <= room) return [[...lead, ...paragraph]];
    const text = paragraph.map((each) => each.text).join('');
    const broken = ASCII.test(text)
      ? slicesOf(paragraph, breakAscii(text, room, exact))
      : breakUnits(unitsOf(paragraph), room, exact).map(joined);
    return broken.map((content) => [...lead, ...content]);
  });
}

/**
 * Matches text in which each character is one cell. This is the most common case, and it is repeated while an answer
 * grows.
 */
const ASCII = /^[ -~]*$/;

/** Returns the same lines as {@link breakUnits}: the beginning and end of each line in the text. */
function breakAscii(text: string, room: number, exact: boolean): [start: number, end: number][] {
  const lines: [number, number][] = [];
  for (let start = 0; start < text.length;) {
    const end = Math.min(start + room, text.length);
    if (end === text.length || exact) {
      lines.push([start, end]);
      start = end;
    } else if (text[end] === ' ') {
      lines.push([start, end]);
      start = end + 1;
    } else {
      const space = text.lastIndexOf(' ', end - 1);
      const hasWord = space > start && text.slice(start, space).trim() !== '';
      lines.push([start, hasWord ? space : end]);
      start = hasWord ? space + 1 : end;
    }
  }
  return lines;
}

/** Cuts spans into lines. `lines` are in order and do not overlap. */
function slicesOf(spans: readonly Span[], lines: readonly (readonly [start: number, end: number])[]): Span[][] {
  let at = 0;
  let offset = 0;
  return lines.map(([start, end]) => {
    const content: Span[] = [];
    for (let current = spans[at]; current !== undefined && offset < end; current = spans[at]) {
      const { text, style } = current;
      const piece = text.slice(Math.max(0, start - offset), end - offset);
      const last = content.at(-1);
      if (piece !== '' && last?.style === style) content[content.length - 1] = span(last.text + piece, style);
      else if (piece !== '') content.push(span(piece, style));
      if (offset + text.length > end) break;
      offset += text.length;
      at += 1;
    }
    return content;
  });
}

function paragraphs(spans: readonly Span[]): Span[][] {
  const result: Span[][] = [[]];
  for (const { text, style } of spans) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) result.push([]);
      if (part !== '') result.at(-1)?.push(span(part, style));
    }
  }
  return result;
}

function unitsOf(spans: readonly Span[]): Unit[] {
  return spans.flatMap(({ text, style }) =>
    splitCharacters(text).map((unit) => ({ text: unit, width: textWidth(unit), style })),
  );
}

function breakUnits(units: readonly Unit[], room: number, exact: boolean): Unit[][] {
  const lines: Unit[][] = [];
  let start = 0;
  while (start < units.length) {
    let end = start;
    let width = 0;
    let space = -1;
    for (let unit = units[end]; unit !== undefined && width + unit.width <= room; unit = units[end]) {
      if (unit.text === ' ') space = end;
      width += unit.width;
      end += 1;
    }
    if (end === units.length || exact) {
      lines.push(units.slice(start, end));
      start = end;
    } else if (units[end]?.text === ' ') {
      lines.push(units.slice(start, end));
      start = end + 1;
    } else {
      const hasWord = space > start && units.slice(start, space).some(({ text }) => text !== ' ');
      lines.push(units.slice(start, hasWord ? space : end));
      start = hasWord ? space + 1 : end;
    }
  }
  return lines;
}

function joined(units: readonly Unit[]): Span[] {
  const spans: Span[] = [];
  for (const { text, style } of units) {
    const last = spans.at(-1);
    if (last?.style === style) spans[spans.length - 1] = span(last.text + text, style);
    else spans.push(span(text, style));
  }
  return spans;
}
