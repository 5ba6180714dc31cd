import type { Model } from '../model.js';
import { span, type Line, type Span } from '@aish/views/line';
import { fit, lineWidth } from '@aish/views/text/fit';
import { VIEWS, type ViewId } from '../view-id.js';

/** Returns the first line of the screen: the views, with the current one reversed, and the number of open decisions. */
export function tabsView(model: Model): Line {
  const { cols } = model.size;
  const wide = tabs(model, (title) => title);
  if (lineWidth(wide) <= cols) return fit(wide, cols);
  // On a narrow terminal only the current view has its name, and the others keep their numbers.
  return fit(
    tabs(model, (title, isCurrent) => (isCurrent ? title : title.slice(0, 4))),
    cols,
  );
}

/** Returns the view at a column of the first line. */
export function tabAt(model: Model, col: number): ViewId | null {
  let start = 0;
  for (const { id, width } of tabWidths(model)) {
    if (col >= start && col < start + width) return id;
    start += width;
  }
  return null;
}

function tabWidths(model: Model): readonly { readonly id: ViewId; readonly width: number }[] {
  const line = tabsView(model);
  return VIEWS.map(({ id }, index) => ({ id, width: lineWidth(line.slice(index, index + 1)) }));
}

function tabs(model: Model, shown: (title: string, isCurrent: boolean) => string): Line {
  return VIEWS.map(({ id, title }, index): Span => {
    const isCurrent = id === model.view;
    const count = id === 'decisions' && model.decisions.length > 0 ? ` ${model.decisions.length}` : '';
    const text = ` ${index + 1} ${shown(title, isCurrent)}${count} `;
    return span(text, isCurrent ? 'selected' : count === '' ? 'dim' : 'bad');
  });
}
