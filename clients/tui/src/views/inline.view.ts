import type { Model } from '../model.js';
import { span, type Line } from '@aish/views/line';
import { fit, lineWidth } from '@aish/views/text/fit';
import { decisionView } from './decision.view.js';
import { outboxLines } from './feed.view.js';
import type { Frame } from './frame.view.js';
import { completionView, promptView } from './prompt.view.js';
import { bannerView, statusView } from './status.view.js';

/** Growing text has at most this share of the screen. */
const LIVE_SHARE = 3;

/** Returns whether something covers the screen that the person opened, such as a list or a page. */
export function isCovered({ view, overlay, search, chat, isUnfolded }: Model): boolean {
  const isReading = isUnfolded || chat.feed.top !== null || search?.kind === 'find';
  return view !== 'chat' || isReading || ['page', 'grants', 'menu'].includes(overlay?.type ?? '');
}

/**
 * Returns the lowest rows of an inline screen: the end of the growing text, the question, the prompt and the status.
 * They are not filled up, so that a terminal that becomes narrower wraps few of them. @param live the growing text
 */
export function footOf(model: Model, live: readonly Line[]): Frame {
  const { cols, rows } = model.size;
  const { overlay, completion } = model;
  const over =
    overlay?.type === 'halt'
      ? decisionView(overlay, model)
      : completion === null
        ? []
        : completionView(completion, model);
  const prompt = promptView(model);
  const above = [...over, bannerView(model)].map(compact);
  const below = [compact(statusView(model))];
  const room = Math.min(Math.floor(rows / LIVE_SHARE), rows - above.length - prompt.lines.length - below.length - 1);
  const growing = [...live, ...outboxLines(model, cols)];
  const shown = room > 0 ? growing.slice(-room) : [];
  const lines = [...inMargin(shown, cols), ...above, ...prompt.lines, ...below];
  const hidden = Math.max(0, lines.length - rows);
  const at = prompt.cursor === null ? -1 : shown.length + above.length + prompt.cursor.row - hidden;
  const cursor = prompt.cursor === null || at < 0 ? null : { col: prompt.cursor.col, row: at };
  return { lines: lines.slice(hidden).map(trimmed), cursor };
}

/** Returns lines of the story as they are printed. */
export function inMargin(lines: readonly Line[], cols: number): readonly Line[] {
  return lines.map((each) => {
    const said = [span(' '), ...each];
    return trimmed(lineWidth(said) > cols ? fit(said, cols) : said);
  });
}

/** Shortens rules and gaps, and removes the right edge of a dialog. */
function compact(content: Line): Line {
  const spans = content.at(-1)?.text === ' │' ? content.slice(0, -1) : content;
  return spans.map(({ text, style }) => {
    const isFill = style === 'alarm' || text.trim() === '';
    return span((isFill ? text.replaceAll(/ {4,}/g, '   ') : text).replace(/─{4,}┘?/, '───'), style);
  });
}

/** Removes the blanks at the end, which nobody wants to copy. */
function trimmed(content: Line): Line {
  const last = content.at(-1);
  if (last === undefined || (last.style !== 'plain' && last.style !== 'dim')) return content;
  const text = last.text.trimEnd();
  if (text === '') return trimmed(content.slice(0, -1));
  return text === last.text ? content : [...content.slice(0, -1), span(text, last.style)];
}
