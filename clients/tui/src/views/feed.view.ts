import type { Feed, Model } from '../model.js';
import { line, span, textOf, type Line, type Span } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';
import { timelineLines } from '../timeline/timeline.lines.js';
import { dialogRows } from './decision.view.js';
import { layoutOf, type Area } from './layout.js';

export interface FeedWindow {
  readonly lines: readonly Line[];
  readonly top: number;
  readonly maxTop: number;
}

/** Returns the session on the screen, or null. */
export function shownFeed(model: Model): Feed | null {
  if (model.view === 'chat') return model.chat.feed;
  return model.view === 'goals' ? model.goalFeed : null;
}

export function withFeed(model: Model, feed: Feed): Model {
  return model.view === 'chat' ? { ...model, chat: { ...model.chat, feed } } : { ...model, goalFeed: feed };
}

/** Returns the space for the session. It is above an open question, because the latest events explain that question. */
export function feedRoom(model: Model): Area {
  const { overlay } = model;
  const { cols, mainRows, detail } = layoutOf(model);
  const room = model.view === 'chat' ? { cols, rows: mainRows } : detail;
  const covered = overlay?.type === 'halt' ? dialogRows(overlay, model) : 0;
  return { cols: room.cols, rows: Math.max(0, room.rows - covered) };
}

/** Returns the visible part of a session. */
export function feedWindow(model: Model, feed: Feed): FeedWindow {
  const { cols, rows } = feedRoom(model);
  const stored = timelineLines(feed.timeline, { width: cols - 1, isUnfolded: model.isUnfolded });
  const all = model.view === 'chat' ? [...stored, ...outboxLines(model, cols)] : stored;
  const maxTop = Math.max(0, all.length - rows);
  const top = Math.min(feed.top ?? maxTop, maxTop);
  const wanted = model.search?.kind === 'find' ? model.search.text : '';
  const lines = all.slice(top, top + rows).map((each) => fit([span(' '), ...marked(each, wanted)], cols));
  if (lines.length === 0 && feed.trouble !== null)
    return { lines: [line(` ${oneLine(feed.trouble)}`, 'warn')], top, maxTop };
  return { lines, top, maxTop };
}

/** Returns a note such as `12 lines below` while the end is not visible. */
export function placeNote({ top, maxTop }: FeedWindow): readonly Span[] {
  return top < maxTop ? [span(`${maxTop - top} lines below: End`, 'warn')] : [];
}

/** Returns the messages that wait. */
export function outboxLines({ chat }: Model, cols: number): Line[] {
  return chat.outbox.flatMap((text, index) => {
    const note = index === 0 && chat.feed.sessionId === null ? 'sending' : 'waits';
    return [line(''), fit([span('› ', 'accent'), span(oneLine(text), 'dim'), span(`  ${note}…`, 'dim')], cols - 2)];
  });
}

/** Returns the line with the search text marked. */
export function marked(content: Line, wanted: string): Line {
  if (wanted === '') return content;
  const isExact = wanted !== wanted.toLowerCase();
  const whole = textOf(content);
  if (!(isExact ? whole : whole.toLowerCase()).includes(wanted)) return content;
  return content.flatMap(({ text, style }): Span[] => {
    const haystack = isExact ? text : text.toLowerCase();
    const spans: Span[] = [];
    let from = 0;
    for (let at = haystack.indexOf(wanted); at >= 0; at = haystack.indexOf(wanted, from)) {
      spans.push(span(text.slice(from, at), style), span(text.slice(at, at + wanted.length), 'match'));
      from = at + wanted.length;
    }
    return [...spans, span(text.slice(from), style)].filter((part) => part.text !== '');
  });
}
