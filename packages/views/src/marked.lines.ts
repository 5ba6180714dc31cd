import { textPiece, type Output, type Piece, type Text } from './entry.pieces.js';
import { line, span, textOf, type Line, type Span, type Style } from './line.js';
import { plural } from './plural.js';

/** Before each line that aish does not say itself, and where one of its own goes on. None of its own begins with it. */
const GUTTER = '│ ';
/** The same for what a person said. */
const PERSON = '› ';
const INDENT = '  ';
/** A terminal that is narrower breaks lines by itself. */
const ROOM_MIN = 8;

/** What stands before the lines of a model or a command. */
export function gutter(depth: number): string {
  return INDENT.repeat(depth) + GUTTER;
}

/**
 * Pieces as lines for a terminal without a screen, a file or a pipe. Models and commands say what they like, so each of
 * their lines has a mark that aish's own lines never have.
 * @param width cells of the terminal; lines end there, because a line that a terminal breaks goes on without its mark.
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

/** Below the guilty part of a command, for those who see no colours. */
function guiltyMarks(shown: Line): readonly Line[] {
  if (!shown.some(({ style }) => style === 'guilty')) return [];
  const marks = shown.map(({ text, style }) => (style === 'guilty' ? '^' : ' ').repeat(text.length)).join('');
  return [line(marks.trimEnd(), 'bad')];
}

function outputLines({ spans, omittedBytes, wholeOf }: Output, width: number): readonly Line[] {
  const where = wholeOf === null ? '' : `; all that is kept: aish output ${wholeOf}`;
  const note = textPiece(`… ${plural(omittedBytes, 'byte')} of its middle left out${where}`, 'dim', 2);
  return [
    ...(spans.length === 0 ? [] : marked(spans, 2, GUTTER, width)),
    ...(omittedBytes === 0 ? [] : textLines(note, width)),
  ];
}

function marked(spans: Line, depth: number, mark: string, width: number): readonly Line[] {
  const lead = span(`${INDENT.repeat(depth)}${mark}`, 'dim');
  return broken(spans, width - lead.text.length).rows.map((row) => [lead, ...row]);
}

/** The mark of a line, with what stands before it; '' for a line of aish. */
export function markOf([lead]: Line): string {
  return lead !== undefined && /^ *[│›] $/.test(lead.text) ? lead.text : '';
}

/** Text that comes in pieces, each line of it with its mark. */
export class MarkedStream {
  private column = 0;

  /**
   * @param lead what stands before each line, as it is written; it is `cells` wide.
   * @param width of the terminal, which may change.
   */
  constructor(
    private readonly lead: { readonly text: string; readonly cells: number },
    private readonly width: () => number,
  ) {}

  /** What is written for the next piece, clean text. */
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

  /** Ends a line that was begun. */
  end(): string {
    const end = this.column === 0 ? '' : '\n';
    this.column = 0;
    return end;
  }
}

/** A text in rows that are no wider than there is room, and where the last one ends; the first has begun at `column`. */
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
      // What is longer than a line is cut wherever the line ends.
      for (const piece of cells > room ? word : [word]) {
        if (at > 0 && at + cellsOf(piece) > room) begin();
        put(piece, cellsOf(piece), style);
      }
    }
  }
  return { rows, column: at };
}

const MARK = /[\p{Mn}\p{Me}]/u;

/** At least as many cells as a terminal needs for clean text: a line that ends too soon does no harm. */
function cellsOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let cells = 0;
  for (const char of text) cells += MARK.test(char) ? 0 : char >= '\u1100' ? 2 : 1;
  return cells;
}
