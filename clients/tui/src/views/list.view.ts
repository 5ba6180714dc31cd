import type { Model } from '../model.js';
import { span, type Line, type Span, type Style } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { layoutOf } from './layout.js';
import { rule } from './rule.js';

export interface ListView {
  readonly title: readonly Span[];
  readonly rows: readonly Line[];
  /** The index of the selected row, or -1. */
  readonly at: number;
  readonly detailTitle: readonly Span[];
  /** The text at the right end of the detail's title. */
  readonly detailNote: readonly Span[];
  readonly detail: readonly Line[];
}

/**
 * Returns a list and the detail of its selected row. They are side by side if there is room, or else one above the
 * other.
 */
export function listView(
  model: Model,
  { title, rows, at, detailTitle, detailNote, detail }: ListView,
): readonly Line[] {
  const { cols, isSideBySide, list, detail: room } = layoutOf(model);
  const top = Math.min(Math.max(0, at - Math.floor(list.rows / 2)), Math.max(0, rows.length - list.rows));
  const shown = filled(rows.slice(top, top + list.rows), list.rows, list.cols).map((row, index) =>
    top + index === at ? chosen(row, list.cols) : fit(row, list.cols),
  );
  const body = filled(detail, room.rows, room.cols);
  const place = rows.length > list.rows ? [span(`${at + 1}/${rows.length}`, 'dim')] : [];
  const above = rule(list.cols, title, place);
  const below = rule(room.cols, detailTitle, detailNote);
  if (!isSideBySide) return [rule(cols, title, place), ...shown, below, ...body];
  return [above, ...shown].map((each, index) => [
    ...fit(each, list.cols),
    span(index === 0 ? '┬' : '│', 'dim'),
    ...(index === 0 ? below : (body[index - 1] ?? [])),
  ]);
}

/** Returns the selected row. It is highlighted, and also marked at its beginning for terminals without colours. */
function chosen(row: Line, cols: number): Line {
  const [first, ...rest] = row;
  const body = first?.text.startsWith(' ') === true ? [span(first.text.slice(1), first.style), ...rest] : row;
  return lit([span('▸', 'selected'), ...body], cols);
}

/** Returns a whole row with a background. */
export function lit(row: Line, cols: number): Line {
  return fit(
    row.map(({ text, style }) => span(text, litStyle(style))),
    cols,
    'selected',
  );
}

/** Returns the style of highlighted text. Styles that must stand out already have a background. */
function litStyle(style: Style): Style {
  return style === 'alarm' || style === 'guilty' ? style : 'selected';
}

export function filled(lines: readonly Line[], rows: number, cols: number): readonly Line[] {
  const blank: Line = [span(' '.repeat(Math.max(0, cols)))];
  return Array.from({ length: Math.max(0, rows) }, (_, index) => lines[index] ?? blank);
}
