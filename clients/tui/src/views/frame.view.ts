import type { Model } from '../model.js';
import { fit, span, type Line } from '../text/line.js';
import { decisionView } from './decision.view.js';
import { goalsView } from './goals.view.js';
import { helpView } from './help.view.js';
import { layoutOf } from './layout.js';
import { promptView } from './prompt.view.js';
import { rule } from './rule.js';
import { bannerView, statusView } from './status.view.js';
import { timelineTitle, timelineView } from './timeline.view.js';

/** A whole screen: one line per row, each as wide as the screen, and where the cursor stands. */
export interface Frame {
  readonly lines: readonly Line[];
  readonly cursor: { readonly col: number; readonly row: number } | null;
}

/** What the screen shows for a model. Pure. */
export function frameOf(model: Model): Frame {
  const { cols, rows } = model.size;
  const { mainRows } = layoutOf(model);
  const prompt = promptView(model);
  const main = fill(withOverlay(mainView(model), model), mainRows, cols);
  const lines = [...main, bannerView(model), prompt.line, statusView(model)].map((each) => fit(each, cols));
  const cursor = prompt.cursor === null ? null : { col: prompt.cursor, row: mainRows + 1 };
  return { lines: lines.slice(0, rows), cursor: rows >= 3 ? cursor : null };
}

function mainView(model: Model): readonly Line[] {
  const layout = layoutOf(model);
  const count = model.goals === null ? '' : ` ${model.goals.length}`;
  const title = [span('GOALS', 'bold'), span(count, 'dim')];
  const goals = goalsView(model);
  const { lines: timeline, top, maxTop } = timelineView(model);
  const place = top < maxTop ? [span(`${maxTop - top} lines below: End`, 'warn')] : [];
  if (!layout.isSideBySide) {
    return [
      rule(layout.cols, title),
      ...fill(goals, layout.goals.rows, layout.cols),
      rule(layout.cols, timelineTitle(model), place),
      ...timeline,
    ];
  }
  const left = [rule(layout.goals.cols, title), ...fill(goals, layout.goals.rows, layout.goals.cols)];
  const right = [
    rule(layout.timeline.cols, timelineTitle(model), place),
    ...fill(timeline, layout.timeline.rows, layout.timeline.cols),
  ];
  return left.map((each, index) => [
    ...fit(each, layout.goals.cols),
    span(index === 0 ? '┬' : '│', 'dim'),
    ...(right[index] ?? []),
  ]);
}

function withOverlay(main: readonly Line[], model: Model): readonly Line[] {
  const { overlay } = model;
  if (overlay?.type === 'help') return helpView(model);
  if (overlay?.type !== 'halt') return main;
  const { cols, mainRows } = layoutOf(model);
  const dialog = decisionView(overlay, model);
  const above = fill(main, mainRows, cols).slice(0, Math.max(0, mainRows - dialog.length));
  return [...above, ...dialog];
}

function fill(lines: readonly Line[], rows: number, cols: number): readonly Line[] {
  const blank: Line = [span(' '.repeat(cols))];
  return Array.from({ length: rows }, (_, index) => lines[index] ?? blank);
}
