import { lineWidth, span, type Line, type Span, type Style } from './line.js';
import { splitCharacters, textWidth } from './width.js';

export interface WrapOptions {
  /** Put before every line; counts into the width. */
  readonly indent?: string;
  /** Break after `width` cells wherever that is, so that nothing of the text is lost at the seams. */
  readonly exact?: boolean;
}

interface Unit {
  readonly text: string;
  readonly width: number;
  readonly style: Style;
}

/** Breaks clean text (with `\n`) into lines of at most `width` cells, between words where it can. */
export function wrapText(text: string, style: Style, width: number, options: WrapOptions = {}): Line[] {
  return wrapSpans([span(text, style)], width, options);
}

/** The same for text in several styles; line breaks may stand in any span. */
export function wrapSpans(
  spans: readonly Span[],
  width: number,
  { indent = '', exact = false }: WrapOptions = {},
): Line[] {
  const room = Math.max(2, width - textWidth(indent));
  const lead = indent === '' ? [] : [span(indent)];
  return paragraphs(spans).flatMap((paragraph) =>
    lineWidth(paragraph) <= room
      ? [[...lead, ...paragraph]]
      : breakUnits(unitsOf(paragraph), room, exact).map((units) => [...lead, ...joined(units)]),
  );
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
