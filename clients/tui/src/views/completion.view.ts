import type { Completion } from '../view-state.js';
import type { Model } from '../model.js';
import { span, type Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';

const MAX_ROWS = 8;

/** What may follow in the prompt, just above it. */
export function completionView({ items, chosen }: Completion, { size }: Model): readonly Line[] {
  const width = Math.min(30, Math.max(...items.map(({ text }) => text.length)));
  const top = Math.min(Math.max(0, chosen - MAX_ROWS + 1), Math.max(0, items.length - MAX_ROWS));
  return items.slice(top, top + MAX_ROWS).map(({ text, about }, index) => {
    const isChosen = top + index === chosen;
    const row: Line = [
      span(isChosen ? ' ▸ ' : '   ', 'accent'),
      span(fitText(text, width), isChosen ? 'selected' : 'bold'),
      span(`  ${oneLine(about)}`, 'dim'),
    ];
    return fit(row, size.cols);
  });
}

function fitText(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}
