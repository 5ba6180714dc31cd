import {
  entryPieces,
  thought,
  type Body,
  type Output,
  type Piece,
  type Text,
  type Thought,
} from '@aish/views/entry.pieces';
import type { Entry, Timeline } from '@aish/views/entries';
import { plural } from '@aish/contracts/plural';
import { line, span, type Line } from '@aish/views/line';
import { showExact } from '@aish/views/sanitise';
import { growingMarkdownLines } from '../markdown/growing.markdown.js';
import { markdownLines } from '../markdown/markdown.lines.js';
import { wrapSpans, wrapText } from '@aish/views/text/wrap';

export interface LayoutOptions {
  readonly width: number;
  /** Whether stored outputs are shown in full. */
  readonly isUnfolded: boolean;
}

/** The number of lines of folded output that are visible at its beginning and end. */
const FOLD_HEAD = 4;
const FOLD_TAIL = 8;
const MAX_LINES = 20_000;
const INDENT = '  ';

// An unchanged entry keeps its lines, so that streaming text lays out only the last entry again.
const cache = new WeakMap<Entry, { readonly options: LayoutOptions; readonly lines: readonly Line[] }>();

/**
 * Returns the timeline as lines of at most `width` cells, oldest first. It contains at most the newest 20,000 lines.
 */
export function timelineLines(timeline: Timeline, options: LayoutOptions): readonly Line[] {
  const lines = timeline.entries.flatMap((entry) => entryLines(entry, options));
  const note = `… ${plural(timeline.dropped, 'older entry', 'older entries')} omitted; aish show prints them all`;
  const all = timeline.dropped > 0 ? [line(note, 'dim'), ...lines] : lines;
  return all.slice(-MAX_LINES);
}

/** Returns the lines of one entry. */
export function entryLines(entry: Entry, options: LayoutOptions): readonly Line[] {
  const known = cache.get(entry);
  if (known?.options.width === options.width && known.options.isUnfolded === options.isUnfolded) return known.lines;
  const lines = entryPieces(entry).flatMap((piece) => pieceLines(piece, options));
  cache.set(entry, { options, lines });
  return lines;
}

function pieceLines(piece: Piece, options: LayoutOptions): readonly Line[] {
  switch (piece.as) {
    case 'gap':
      return [line('')];
    case 'text':
      return textLines(withCost(piece, options), options.width);
    case 'body':
      return bodyLines(piece, options);
    case 'thought':
      return indented(thoughtLines(piece, options.width - INDENT.length, options.isUnfolded));
    case 'output':
      return outputLines(piece, options);
  }
}

/** Adds the cost of an answer if the entry is unfolded. */
function withCost(piece: Text, { isUnfolded }: LayoutOptions): Text {
  if (!isUnfolded || piece.cost === undefined) return piece;
  return { ...piece, spans: [...piece.spans, span(` · ${piece.cost}`, 'dim')] };
}

function textLines({ spans, depth, lead, rail = '', isCut = false }: Text, width: number): readonly Line[] {
  const indent = `${INDENT.repeat(depth)}${rail}`;
  if (isCut) return [indent === '' ? spans : [span(indent), ...spans]];
  if (lead === undefined) return wrapSpans(spans, width, { indent });
  const room = ' '.repeat(lead.text.length);
  return wrapSpans(spans, width - lead.text.length, { indent }).map((each, index): Line => [
    index === 0 ? lead : span(room),
    ...each,
  ]);
}

/** Returns a model's text, indented: Markdown, exact commands, folded thoughts. */
function bodyLines({ key, parts, isStreaming, thinking }: Body, { width, isUnfolded }: LayoutOptions): readonly Line[] {
  const room = width - INDENT.length;
  const lines = parts.flatMap((part, index): readonly Line[] => {
    switch (part.kind) {
      case 'exact':
        return part.text.split('\n').flatMap((each) => wrapSpans([span(showExact(each))], room, { exact: true }));
      case 'thought':
        return thought(part.text, isStreaming && part.isOpen, thinking).flatMap((each) =>
          thoughtLines(each, room, isUnfolded),
        );
      case 'markdown': {
        const prose =
          isStreaming && part.isOpen
            ? growingMarkdownLines(`${key} ${index}`, part.text, room)
            : markdownLines(part.text, room);
        // Blank lines between prose and commands belong to neither of the two blocks.
        const before = index > 0 && /^\s*(\n|$)/.test(part.text) ? [line('')] : [];
        return [...before, ...prose, ...(prose.length > 0 && /\n\s*$/.test(part.text) ? [line('')] : [])];
      }
    }
  });
  return indented(trimEnd(lines));
}

/** The number of lines of a thought that are visible while it arrives. */
const THOUGHT_TAIL = 3;

function thoughtLines({ text, isOpen, about }: Thought, width: number, isUnfolded: boolean): readonly Line[] {
  const lines = wrapText(text, 'dim', width);
  if (isUnfolded) return lines;
  return isOpen ? lines.slice(-THOUGHT_TAIL) : [line(`${about} (Ctrl-O shows it)`, 'dim')];
}

function outputLines({ spans, omittedBytes }: Output, { width, isUnfolded }: LayoutOptions): readonly Line[] {
  const lines = wrapSpans(spans, width, { indent: '    ' });
  if (omittedBytes > 0)
    lines.push(line(`    … ${omittedBytes} bytes in the middle omitted here: Alt-O shows all`, 'dim'));
  const hidden = lines.length - FOLD_HEAD - FOLD_TAIL;
  if (isUnfolded || hidden <= 1) return lines;
  const fold = line(`    … ${hidden} more lines (Ctrl-O shows them, Alt-O opens a page)`, 'dim');
  return [...lines.slice(0, FOLD_HEAD), fold, ...lines.slice(-FOLD_TAIL)];
}

function indented(lines: readonly Line[]): readonly Line[] {
  return lines.map((each) => [span(INDENT), ...each]);
}

function trimEnd(lines: readonly Line[]): readonly Line[] {
  return lines.slice(0, lines.findLastIndex((each) => each.some(({ text }) => text.trim() !== '')) + 1);
}
