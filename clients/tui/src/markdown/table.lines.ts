import { span, type Line, type Span } from '@aish/views/line';
import { fit, lineWidth } from '@aish/views/text/fit';
import { wrapSpans } from '@aish/views/text/wrap';
import type { Node } from '@aish/views/markdown.blocks';
import { inlineSpans } from './inline.js';

const MIN_COLS = 3;

/** Columns narrower than this are harder to read than the source of the table. */
const MIN_SHARE = 6;

/**
 * Returns a Markdown table with borders and wrapped cells. The table is as narrow as possible and at most `width` wide.
 * Returns null if it has too many columns.
 */
export function tableLines(table: Node, width: number): Line[] | null {
  const [header, ...rows] = table.children.flatMap((part) => part.children);
  const cells = header?.children ?? [];
  if (width < cells.length * MIN_SHARE + 1) return null;
  const align = cells.map(({ token }) => /right|center/.exec(String(token.attrGet('style') ?? ''))?.[0] ?? null);
  const head = cells.map((cell) => inlineSpans(cell.children, 'bold'));
  const body = rows.map((row) => row.children.map((cell) => inlineSpans(cell.children)));
  const wanted = head.map((cell, index) =>
    Math.max(MIN_COLS, lineWidth(cell), ...body.map((row) => lineWidth(row[index] ?? []))),
  );
  const widths = squeezed(wanted, width - 3 * head.length - 1);
  const rowLines = (cells: readonly (readonly Span[])[]): Line[] => {
    const wrapped = widths.map((cols, index) => wrapSpans(cells[index] ?? [], cols));
    const height = Math.max(...wrapped.map((lines) => lines.length));
    return Array.from({ length: height }, (_, at) => [
      ...widths.flatMap((cols, index) => [
        span(index === 0 ? '│ ' : ' │ ', 'dim'),
        ...aligned(wrapped[index]?.[at] ?? [], cols, align[index] ?? null),
      ]),
      span(' │', 'dim'),
    ]);
  };
  const edge = (left: string, middle: string, right: string): Line => [
    span(`${left}${widths.map((cols) => '─'.repeat(cols + 2)).join(middle)}${right}`, 'dim'),
  ];
  return [
    edge('┌', '┬', '┐'),
    ...rowLines(head),
    edge('├', '┼', '┤'),
    ...body.flatMap((row) => rowLines(row)),
    edge('└', '┴', '┘'),
  ];
}

function aligned(content: Line, cols: number, align: string | null): Line {
  const room = cols - lineWidth(content);
  if (room <= 0 || align === null) return fit(content, cols);
  const before = align === 'right' ? room : Math.floor(room / 2);
  return fit([span(' '.repeat(before)), ...content], cols);
}

/** Shrinks the widest columns until all fit. */
function squeezed(wanted: readonly number[], room: number): readonly number[] {
  const widths = [...wanted];
  let excess = widths.reduce((sum, cols) => sum + cols, 0) - room;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    if ((widths[widest] ?? 0) <= MIN_COLS) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}
