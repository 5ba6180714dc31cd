import { markOf } from '@aish/views/marked.lines';
import { markdownLines } from '../markdown/markdown.lines.js';
import type { Detail } from '../view-state.js';
import type { Model, Page } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { lineWidth } from '@aish/views/text/fit';
import { cleanText } from '@aish/views/sanitise';
import { wrapSpans, wrapText } from '@aish/views/text/wrap';
import { helpLines } from './help.lines.js';
import { layoutOf } from './layout.js';
import { isPane } from '../view-id.js';

const cache = new WeakMap<
  Detail,
  { readonly width: number; readonly linkAt: number; readonly lines: readonly Line[] }
>();

/** Returns the detail of the selected row as lines. */
export function detailLines(detail: Detail, width: number, linkAt: number): readonly Line[] {
  const known = cache.get(detail);
  if (known?.width === width && known.linkAt === linkAt) return known.lines;
  const text =
    detail.kind === 'markdown' ? markdownLines(detail.text, width) : wrapText(cleanText(detail.text), 'plain', width);
  const lines = [...text, ...linkLines(detail, linkAt)];
  cache.set(detail, { width, linkAt, lines });
  return lines;
}

function linkLines({ links = [] }: Detail, linkAt: number): readonly Line[] {
  if (links.length === 0) return [];
  const rows = links.map(({ label }, index): Line => {
    const isHere = index === linkAt;
    return [span(isHere ? '▸ ' : '  ', 'accent'), span(label, isHere ? 'bold' : 'link')];
  });
  return [line(''), line('links', 'heading'), ...rows];
}

export function paneDetailRoom(model: Model): number {
  return layoutOf(model).detail.rows;
}

export function paneDetailMaxTop(model: Model): number {
  const { detail, linkAt } = isPane(model.view) ? model.panes[model.view] : { detail: null, linkAt: 0 };
  const room = layoutOf(model).detail;
  return detail === null ? 0 : Math.max(0, detailLines(detail, room.cols - 2, linkAt).length - room.rows);
}

interface Wrapped {
  readonly width: number;
  readonly lines: readonly Line[];
  /** The first row of each line of the page. */
  readonly starts: readonly number[];
}

const pages = new WeakMap<readonly Line[], Wrapped>();

/** Returns the text of a page, wrapped to its width. */
export function pageLines(page: Page, width: number): readonly Line[] {
  return wrapped(page, width).lines;
}

/** Returns the row where a line of the page begins, or the last row for a line after the end. */
export function rowOfLine(page: Page, width: number, at: number): number {
  const { starts } = wrapped(page, width);
  return starts[Math.max(0, Math.min(starts.length - 1, at))] ?? 0;
}

/** Returns the line of the page that a row belongs to. */
export function lineOfRow(page: Page, width: number, row: number): number {
  return Math.max(
    0,
    wrapped(page, width).starts.findLastIndex((start) => start <= row),
  );
}

function wrapped({ lines }: Page, width: number): Wrapped {
  const known = pages.get(lines);
  if (known?.width === width) return known;
  const rows: Line[] = [];
  const starts = lines.map((each) => {
    const start = rows.length;
    const indent = markOf(each);
    const said = indent === '' ? each : each.slice(1);
    for (const row of lineWidth(each) <= width ? [each] : wrapSpans(said, width, { indent })) rows.push(row);
    return start;
  });
  const all = { width, lines: rows, starts };
  pages.set(lines, all);
  return all;
}

export function helpMaxTop(model: Model): number {
  return Math.max(0, helpLines(model).length - layoutOf(model).mainRows + 1);
}

export function pageMaxTop(model: Model): number {
  if (model.overlay?.type !== 'page') return 0;
  const lines = pageLines(model.overlay, model.size.cols - 2);
  return Math.max(0, lines.length - layoutOf(model).mainRows + 1);
}
