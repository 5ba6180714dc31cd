import { textPiece, type Output, type Piece, type Text } from './entry.pieces.js';
import { line, span, textOf, type Line, type Span, type Style } from './line.js';
import { plural } from '@aish/contracts/plural';

/** The prefix of each line that is not aish's own, and of continued lines. No line of aish begins with it. */
const GUTTER = '│ ';
/** The mark before a person's lines. */
const PERSON = '› ';
const INDENT = '  ';
/** The minimum width. In a narrower terminal, the terminal breaks the lines. */
const ROOM_MIN = 8;

/** Returns the prefix for lines of a model or command. */
export function gutter(depth: number): string {
  return INDENT.repeat(depth) + GUTTER;
}

/**
 * Formats pieces as lines for a plain terminal, a file or a pipe. Models and commands may write anything, so each of
 * their lines has a mark that aish's own lines never have.
 *
 * @param width cells of the terminal. Lines end there, because a line that a terminal wraps continues without its mark.
 */
export function markedLines(pieces: readonly Piece[], width = Infinity): readonly Line[] {
  return pieces.flatMap((piece) => {
    switch (piece.as) {
      case 'gap':
        return [line('')];
      case 'text':
        return textLines(piece, width);
      case 'body':
        return marked([span(piece.text)], 1, GUTTER, width);
      case 'thought':
        return marked([span(piece.text, 'dim')], 1, GUTTER, width);
      case 'output':
        return outputLines(piece, width);
    }
  });
}

function textLines(piece: Text, width: number): readonly Line[] {
  const { by, spans, depth, role } = piece;
  if (by !== undefined) return marked(spans, depth, by === 'person' ? PERSON : GUTTER, width);
  const { rows } = broken(spans, width - gutter(depth).length);
  const [first = [], ...rest] = rows.map((row, at): Line => [
    at === 0 ? span(INDENT.repeat(depth)) : span(gutter(depth), 'dim'),
    ...row,
  ]);
  return [first, ...(role === 'command' && rest.length === 0 ? guiltyMarks(first) : []), ...rest];
}

/** Returns marks below the objectionable part of a command, for terminals without colours. */
function guiltyMarks(shown: Line): readonly Line[] {
  if (!shown.some(({ style }) => style === 'guilty')) return [];
  const marks = shown.map(({ text, style }) => (style === 'guilty' ? '^' : ' ').repeat(text.length)).join('');
  return [line(marks.trimEnd(), 'bad')];
}

function outputLines({ spans, omittedBytes, wholeOf }: Output, width: number): readonly Line[] {
  const where = wholeOf === null ? '' : `; to read everything stored: aish output ${wholeOf}`;
  const note = textPiece(`… ${plural(omittedBytes, 'byte')} in the middle omitted${where}`, 'dim', 2);
  return [
    ...(spans.length === 0 ? [] : marked(spans, 2, GUTTER, width)),
    ...(omittedBytes === 0 ? [] : textLines(note, width)),
  ];
}

function marked(spans: Line, depth: number, mark: string, width: number): readonly Line[] {
  const lead = span(`${INDENT.repeat(depth)}${mark}`, 'dim');
  return broken(spans, width - lead.text.length).rows.map((row) => [lead, ...row]);
}

/** Returns the mark of a line with its prefix; '' for a line of aish. */
export function markOf([lead]: Line): string {
  return lead !== undefined && /^ *[│›] $/.test(lead.text) ? lead.text : '';
}

/** Formats streamed text, with the mark on each line. */
export class MarkedStream {
  private column = 0;

  /**
   * @param lead the prefix of each line, as terminal text; it is `cells` wide.
   * @param width returns the width of the terminal, which may change.
   */
  constructor(
    private readonly lead: { readonly text: string; readonly cells: number },
    private readonly width: () => number,
  ) {}

  /** Returns the terminal text for the next piece of clean text. */
  push(text: string): string {
    if (text === '') return '';
    const from = this.column;
    const { rows, column } = broken([span(text)], this.width() - this.lead.cells, from);
    this.column = column;
    return rows
      .map((row, at) => {
        const goesOn = at === 0 && from > 0;
        const isLeft = at === rows.length - 1 && column === 0;
        return goesOn || isLeft ? textOf(row) : `${this.lead.text}${textOf(row)}`;
      })
      .join('\n');
  }

  /** Ends the current line if it is still open. */
  end(): string {
    const end = this.column === 0 ? '' : '\n';
    this.column = 0;
    return end;
  }
}

/** Wraps a text to the width, and returns where the last row ends. The first row begins at `column`. */
function broken(spans: Line, width: number, column = 0): { readonly rows: readonly Line[]; readonly column: number } {
  const room = Math.max(ROOM_MIN, width);
  const rows: Span[][] = [[]];
  let at = column;
  const begin = (): void => {
    rows.push([]);
    at = 0;
  };
  const put = (text: string, cells: number, style: Style): void => {
    const row = rows.at(-1) ?? [];
    const last = row.at(-1);
    if (last?.style === style) row[row.length - 1] = span(last.text + text, style);
    else row.push(span(text, style));
    at += at === 0 ? Math.max(1, cells) : cells;
  };
  for (const { text, style } of spans) {
    for (const [word] of text.matchAll(/\n|[^\S\n]+|\S+/g)) {
      const cells = cellsOf(word);
      if (word === '\n' || (at > 0 && at + cells > room && cells <= room)) begin();
      if (word === '\n') continue;
      // A word longer than a line is cut at the end of the line.
      for (const piece of cells > room ? word : [word]) {
        if (at > 0 && at + cellsOf(piece) > room) begin();
        put(piece, cellsOf(piece), style);
      }
    }
  }
  return { rows, column: at };
}

const MARK = /[\p{Mn}\p{Me}]/u;

/** Returns an upper bound for the cells of clean text. A line that ends too soon does no harm. */
function cellsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let cells = 0;
  for (const char of text) cells += MARK.test(char) ? 0 : char >= '\u1100' ? 2 : 1;
  return cells;
}
