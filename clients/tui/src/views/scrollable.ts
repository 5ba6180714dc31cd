import { markdownLines } from '../markdown/markdown.lines.js';
import type { Detail } from '../view-state.js';
import type { Model, Page } from '../model.js';
import { line, span, type Line } from '@aish/views/line';
import { lineWidth } from '../text/fit.js';
import { cleanText } from '@aish/views/sanitise';
import { wrapSpans, wrapText } from '../text/wrap.js';
import { helpLines } from './help.lines.js';
import { layoutOf } from './layout.js';
import { isPane } from '../view-id.js';

const cache = new WeakMap<
  Detail,
  { readonly width: number; readonly linkAt: number; readonly lines: readonly Line[] }
>();

/** What the chosen row stands for, as lines. */
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

const pages = new WeakMap<readonly Line[], { readonly width: number; readonly lines: readonly Line[] }>();

/** What is on a page, broken into lines of its width. */
export function pageLines({ lines }: Page, width: number): readonly Line[] {
  const known = pages.get(lines);
  if (known?.width === width) return known.lines;
  const wrapped = lines.flatMap((each) => (lineWidth(each) <= width ? [each] : wrapSpans(each, width)));
  pages.set(lines, { width, lines: wrapped });
  return wrapped;
}

export function helpMaxTop(model: Model): number {
  return Math.max(0, helpLines(model).length - layoutOf(model).mainRows + 1);
}

export function pageMaxTop(model: Model): number {
  if (model.overlay?.type !== 'page') return 0;
  const lines = pageLines(model.overlay, model.size.cols - 2);
  return Math.max(0, lines.length - layoutOf(model).mainRows + 1);
}
