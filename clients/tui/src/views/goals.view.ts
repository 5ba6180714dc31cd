import type { Goal } from '@aish/contracts';
import { formatAge } from '../format/duration.format.js';
import { formatSteps, stateDetail, stateLook } from '../format/goal.format.js';
import type { Model } from '../model.js';
import { fit, line, span, type Line } from '../text/line.js';
import { oneLine } from '../text/sanitise.js';
import { wrapText } from '../text/wrap.js';
import { layoutOf } from './layout.js';

/** The list of goals, newest first, scrolled so that the chosen one is in sight. */
export function goalsView(model: Model): readonly Line[] {
  const { cols, rows } = layoutOf(model).goals;
  const goals = model.goals;
  if (goals === null) return [line(' …', 'dim')];
  if (goals.length === 0) {
    return wrapText('No goals yet. Write one below, in plain words, and press Enter.', 'dim', cols, { indent: ' ' });
  }
  const at = Math.max(
    0,
    goals.findIndex(({ id }) => id === model.chosen),
  );
  const top = Math.min(Math.max(0, at - Math.floor(rows / 2)), Math.max(0, goals.length - rows));
  return goals.slice(top, top + rows).map((goal) => goalRow(goal, model, cols));
}

function goalRow(goal: Goal, model: Model, cols: number): Line {
  const isChosen = goal.id === model.chosen;
  const { symbol, style } = stateLook(goal.state);
  const text = [oneLine(goal.text), goal.state === 'waiting' ? stateDetail(goal) : '']
    .filter((part) => part !== '')
    .join(' · ');
  const row: Line = [
    span(isChosen ? '▸' : ' ', 'accent'),
    span(`${String(goal.number).padStart(3)} `, isChosen ? 'bold' : 'plain'),
    span(`${symbol} ${goal.state}`, style),
    span(' '.repeat(Math.max(1, 10 - goal.state.length))),
    span(formatSteps(goal).padStart(5)),
    span(formatAge(goal.createdAt, model.nowMs).padStart(5), 'dim'),
    span(`  ${text}`, isChosen ? 'bold' : 'plain'),
  ];
  return fit(row, cols);
}
