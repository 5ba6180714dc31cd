import type { Line, Style } from '@aish/views/line';
import { cellWidth } from '@aish/views/text/width';

/** One cell of the screen: a character with its combining characters, and its style. */
export interface Cell {
  readonly text: string;
  readonly style: Style;
}

/** Returns the line as cells. The second cell of a wide character is blank. */
export function cellsOf(content: Line): readonly Cell[] {
  const cells: Cell[] = [];
  for (const { text, style } of content) {
    for (const char of text) {
      const width = cellWidth(char.codePointAt(0) ?? 0);
      const last = cells.at(-1);
      if (width === 0) {
        if (last !== undefined) cells[cells.length - 1] = { ...last, text: last.text + char };
        continue;
      }
      cells.push({ text: char, style });
      if (width === 2) cells.push({ text: ' ', style });
    }
  }
  return cells;
}
