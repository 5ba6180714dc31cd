import { formatReason, markGuilty } from '../format/decision.format.js';
import type { HaltDialog, Model } from '../model.js';
import { fit, line, lineWidth, span, type Line } from '../text/line.js';
import { cleanText, oneLine } from '../text/sanitise.js';
import { wrapSpans, wrapText } from '../text/wrap.js';
import { layoutOf } from './layout.js';

const CONTEXT_LINES = 6;
/** Banner, the line of keys, the line below them, and the lower edge. */
const FRAME_ROWS = 4;

export interface HaltLayout {
  readonly body: readonly Line[];
  readonly room: number;
  readonly top: number;
  readonly maxTop: number;
  /** Lines of the action that are below what is shown: nobody approves what they have not seen. */
  readonly hiddenBelow: number;
}

/** What stands in the dialog and how much of it is in sight. */
export function haltLayout({ decision, top }: HaltDialog, model: Model): HaltLayout {
  const { cols, mainRows } = layoutOf(model);
  const width = Math.max(10, cols - 4);
  const before = [
    ...wrapText(`goal ${decision.goalNumber}: ${shorten(oneLine(decision.goalText), width * 2 - 12)}`, 'plain', width),
    ...wrapText(`reason: ${formatReason(decision)}`, 'bad', width),
    line('action:', 'dim'),
  ];
  const action = wrapSpans(markGuilty(decision.action, decision.classification), width, { indent: '  ', exact: true });
  const context = wrapText(cleanText(decision.context).trim(), 'dim', width, { indent: '  ' }).slice(-CONTEXT_LINES);
  const hasContext = context.some((each) => lineWidth(each) > 2);
  const body = [...before, ...action, ...(hasContext ? [line('the model wrote:', 'dim'), ...context] : [])];
  const room = Math.max(1, Math.min(body.length, mainRows - FRAME_ROWS));
  const maxTop = Math.max(0, body.length - room);
  const shownTop = Math.min(top, maxTop);
  const hiddenBelow = Math.max(0, before.length + action.length - shownTop - room);
  return { body, room, top: shownTop, maxTop, hiddenBelow };
}

/** The HALT dialog, as wide as the screen; as high as it must be, and never higher than what is above the prompt. */
export function decisionView(dialog: HaltDialog, model: Model): readonly Line[] {
  const { cols } = layoutOf(model);
  const { body, room, top } = haltLayout(dialog, model);
  const shown = body.slice(top, top + room);
  return [
    banner(dialog, model, cols),
    ...shown.map((each) => boxed(each, cols)),
    boxed(note(dialog, model), cols),
    boxed(keysOf(dialog), cols),
    [span(`└${'─'.repeat(Math.max(0, cols - 2))}┘`, 'bad')],
  ];
}

function banner({ decision }: HaltDialog, model: Model, cols: number): Line {
  const index = model.decisions.findIndex(({ id }) => id === decision.id) + 1;
  const left = `  NORRIS HALT   step ${decision.stepNumber}/${decision.stepBudget}`;
  const right = `d-${decision.number} · ${index} of ${model.decisions.length}  `;
  const gap = Math.max(1, cols - left.length - right.length);
  return fit([span(`${left}${' '.repeat(gap)}${right}`, 'alarm')], cols, 'alarm');
}

function keysOf({ sending }: HaltDialog): Line {
  if (sending !== null) return [span(`${sending}: sending…`, 'warn')];
  return [...key('p', 'proceed'), ...key('s', 'skip'), ...key('a', 'abort the goal'), ...key('Esc', 'later')];
}

function key(name: string, does: string): Line {
  return [span(`[${name}]`, 'bold'), span(` ${does}   `)];
}

function note(dialog: HaltDialog, model: Model): Line {
  if (dialog.trouble !== null) return [span(dialog.trouble, 'bad')];
  const { body, room, top, hiddenBelow, maxTop } = haltLayout(dialog, model);
  if (maxTop === 0) return [];
  const where = `lines ${top + 1} to ${top + room} of ${body.length}; PgUp and PgDn scroll`;
  return [span(hiddenBelow > 0 ? `the action goes on below · ${where}` : where, 'warn')];
}

function boxed(content: Line, cols: number): Line {
  return [span('│ ', 'bad'), ...fit(content, Math.max(0, cols - 4)), span(' │', 'bad')];
}

function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, Math.max(0, maxChars - 1))}…`;
}
