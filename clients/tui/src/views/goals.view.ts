import type { Goal } from '@aish/contracts/goals';
import { formatAge } from '@aish/views/duration.format';
import { formatSteps, stateDetail, stateLook } from '@aish/views/goal.format';
import { chosenGoal, type Model } from '../model.js';
import { line, span, type Line, type Span } from '@aish/views/line';
import { oneLine } from '@aish/views/sanitise';
import { wrapText } from '@aish/views/text/wrap';
import { feedWindow, placeNote } from './feed.view.js';
import { layoutOf } from './layout.js';
import { listView } from './list.view.js';

/** Returns the goals, newest first, and the timeline of the selected one. */
export function goalsView(model: Model): readonly Line[] {
  const { goals } = model;
  const window = feedWindow(model, model.goalFeed);
  return listView(model, {
    title: [span('GOALS', 'bold'), span(goals === null ? '' : ` ${goals.length}`, 'dim')],
    rows: goalRows(model),
    at: goals?.findIndex(({ id }) => id === model.chosen) ?? -1,
    detailTitle: timelineTitle(model),
    detailNote: placeNote(window),
    detail: window.lines,
  });
}

function goalRows(model: Model): readonly Line[] {
  const { goals } = model;
  if (goals === null) return [line(' …', 'dim')];
  if (goals.length > 0) return goals.map((goal) => goalRow(goal, model.nowMs));
  return wrapText('No goals yet. Press n and write one in plain words.', 'dim', layoutOf(model).list.cols, {
    indent: ' ',
  });
}

function goalRow(goal: Goal, nowMs: number): Line {
  const { symbol, style } = stateLook(goal.state);
  const detail = goal.state === 'waiting' ? stateDetail(goal) : '';
  const text = [oneLine(goal.text), detail].filter((part) => part !== '').join(' · ');
  return [
    span(' '),
    span(`${String(goal.number).padStart(3)} `),
    span(`${symbol} ${goal.state}`, style),
    span(' '.repeat(Math.max(1, 10 - goal.state.length))),
    span(formatSteps(goal).padStart(5)),
    span(formatAge(goal.createdAt, nowMs).padStart(5), 'dim'),
    span(`  ${text}`),
  ];
}

function timelineTitle(model: Model): readonly Span[] {
  const goal = chosenGoal(model);
  if (goal === undefined) return [span('TIMELINE', 'bold')];
  const detail = goal.state === 'waiting' || goal.state === 'halted' ? stateDetail(goal) : '';
  const room = Math.max(0, layoutOf(model).detail.cols - 40);
  const short =
    detail === '' || room < 10 ? '' : ` · ${detail.length > room ? `${detail.slice(0, room - 1)}…` : detail}`;
  return [span(`GOAL ${goal.number}`, 'bold'), span(` ${goal.state}${short}`)];
}
