import { stateDetail } from '../format/goal.format.js';
import { chosenGoal, type Model } from '../model.js';
import { fit, line, span, type Line, type Span } from '../text/line.js';
import { timelineLines } from '../timeline/timeline.lines.js';
import { layoutOf } from './layout.js';

export interface TimelineView {
  readonly lines: readonly Line[];
  readonly top: number;
  readonly maxTop: number;
}

/** The part of the chosen goal's timeline that is on the screen. */
export function timelineView(model: Model): TimelineView {
  const { cols, rows } = layoutOf(model).timeline;
  const all = timelineLines(model.timeline, { width: cols - 1, isUnfolded: model.isUnfolded });
  const maxTop = Math.max(0, all.length - rows);
  const top = Math.min(model.scrollTop ?? maxTop, maxTop);
  const lines = all.slice(top, top + rows).map((each) => fit([span(' '), ...each], cols));
  if (lines.length === 0 && model.timelineTrouble !== null)
    return { lines: [line(` ${model.timelineTrouble}`, 'warn')], top, maxTop };
  return { lines, top, maxTop };
}

export function timelineHeight(model: Model): number {
  return Math.max(1, layoutOf(model).timeline.rows);
}

/** Title of the timeline: which goal, and how it is. */
export function timelineTitle(model: Model): readonly Span[] {
  const goal = chosenGoal(model);
  if (goal === undefined) return [span('TIMELINE', 'bold')];
  const detail = goal.state === 'waiting' || goal.state === 'halted' ? stateDetail(goal) : '';
  const room = Math.max(0, layoutOf(model).timeline.cols - 40);
  const short =
    detail === '' || room < 10 ? '' : ` · ${detail.length > room ? `${detail.slice(0, room - 1)}…` : detail}`;
  return [span(`GOAL ${goal.number}`, 'bold'), span(` ${goal.state}${short}`)];
}
