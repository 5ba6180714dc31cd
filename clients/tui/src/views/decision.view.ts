import { canTakeBack, canWaitForWindow } from '@aish/contracts/approval-lines';
import { isLastQuestion, runsSomething, takesAnswer } from '@aish/contracts/decision-rules';
import type { Decision } from '@aish/contracts/decisions';
import {
  canEdit,
  canGrant,
  canPreview,
  formatApproval,
  hasCarried,
  formatDifference,
  formatReasons,
  formatExecutionContext,
  formatStep,
  kindLabel,
  markGuilty,
  verdictLabel,
} from '@aish/views/decision.format';
import { isOfAnotherChat, type HaltDialog, type Model } from '../model.js';
import { line, span, textOf, type Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { oneLine } from '@aish/views/sanitise';
import { cardContext } from '@aish/views/card.context';
import { wrapSpans, wrapText } from '@aish/views/text/wrap';
import type { Action } from '@aish/views/key-actions';
import { heldAction, HELD_NOTE, labelOf } from '../keys/binding.js';
import { draftKeys, draftLines, key, markHeld } from './draft.view.js';
import { layoutOf } from './layout.js';

const CONTEXT_LINES = 6;
const PREVIEW_LINES = 8;
/** The rows of the banner, the line of keys, the line below them, and the lower edge. */
const FRAME_ROWS = 4;

/** All keys fit on a screen of this width. */
const WIDE_COLS = 100;

export interface HaltLayout {
  readonly body: readonly Line[];
  readonly room: number;
  readonly top: number;
  readonly maxTop: number;
  /** The number of hidden lines of the action. Nobody may approve an action that they have not seen. */
  readonly hiddenBelow: number;
}

const ACTION_TITLES: Readonly<Record<Decision['kind'], string>> = {
  halt: 'action:',
  check: 'this command would verify the goal:',
  plan: 'the model proposes this plan:',
  tool: 'tool:',
  command: 'command:',
  question: 'the model asks:',
  need: 'the model asks for access:',
  elicitation: 'a server asks:',
};

/** Returns the content of the dialog, and its visible part. */
export function haltLayout(dialog: HaltDialog, model: Model): HaltLayout {
  const { decision, top, isExplained, preview, draft, ended } = dialog;
  const { cols, mainRows } = layoutOf(model);
  const width = Math.max(10, cols - 4);
  const note = model.notes[decision.id];
  const before = [
    ...(ended === null ? [] : wrapText(ended, 'warn', width)),
    ...(ended === null ? draftLines(dialog, width) : []),
    ...(note === undefined || draft?.type === 'message' ? [] : wrapText(`your note: “${note}”`, 'accent', width)),
    ...(isExplained ? explanation(decision, width) : []),
    ...previewLines(preview),
    ...wrapText(shorten(subjectOf(decision, model), width * 2 - 2), 'plain', width),
    ...(takesAnswer(decision.kind) ? [] : reasonLines(decision, width)),
    ...executionContextLines(decision, width),
    ...approvalOf(decision, width),
    ...windowKeys(decision, model),
    ...(hasCarried(decision.executionContext) ? [key(labelOf(model, 'proceedCarried'), 'proceed with that')] : []),
    line(ACTION_TITLES[decision.kind], 'dim'),
  ];
  const action = wrapSpans(markGuilty(decision.action, decision.classification), width, { indent: '  ', exact: true });
  const body = [...before, ...action, ...contextLines(decision, width)];
  const room = Math.max(1, Math.min(body.length, mainRows - FRAME_ROWS));
  const maxTop = Math.max(0, body.length - room);
  // A form may be longer than the screen, so its active field must stay visible.
  const atLeast = draft?.type === 'form' ? Math.max(0, fieldRow(dialog, width) - room + 2) : 0;
  const shownTop = Math.min(Math.max(top, atLeast), maxTop);
  // A screen that has no room for a line of the action has not shown it.
  const least = mainRows > FRAME_ROWS ? 0 : 1;
  const hiddenBelow = Math.max(least, before.length + action.length - shownTop - room);
  return { body, room, top: shownTop, maxTop, hiddenBelow };
}

/** Returns the reasons, each on a line of its own. */
export function reasonLines(decision: Decision, width: number, indent = ''): readonly Line[] {
  return formatReasons(decision).flatMap((reason, n) =>
    wrapText(`${n === 0 ? 'reason' : 'and'}: ${reason}`, 'bad', width, { indent }),
  );
}

/**
 * Returns lines that say where the command would start, or which changes it made if it has run. They have the colour of
 * reasons if earlier commands changed its meaning.
 */
export function executionContextLines(decision: Decision, width: number, indent = ''): readonly Line[] {
  const { executionContext } = decision;
  const style = hasCarried(executionContext) ? 'bad' : 'dim';
  const done = formatDifference(decision).flatMap((each) => wrapText(each, 'bad', width, { indent, exact: true }));
  if (done.length > 0) return done;
  return formatExecutionContext(executionContext).flatMap((each) => wrapText(each, style, width, { indent }));
}

/** Returns lines that say who approved the action, who must approve it, and when it may run. */
export function approvalOf(decision: Decision, width: number, indent = ''): readonly Line[] {
  return formatApproval(decision).flatMap((each) => wrapText(each, 'warn', width, { indent }));
}

function windowKeys(decision: Decision, model: Model): readonly Line[] {
  return [
    ...(canWaitForWindow(decision) ? [key(labelOf(model, 'proceedInWindow'), 'proceed in the change window')] : []),
    ...(canTakeBack(decision) ? [key(labelOf(model, 'takeBack'), 'withdraw the approval')] : []),
  ];
}

function contextLines(decision: Decision, width: number): readonly Line[] {
  const { wrote, serverSays } = cardContext(decision);
  return [...endOf('the model wrote:', wrote, width), ...endOf('the server describes the tool as:', serverSays, width)];
}

/** Returns the end of a text that someone else wrote. */
function endOf(title: string, text: string, width: number): readonly Line[] {
  const lines = wrapText(text, 'dim', width, { indent: '  ' });
  const isShown = (each: Line, index: number): boolean =>
    index >= lines.length - CONTEXT_LINES && textOf(each).trim() !== '';
  const first = lines.findIndex(isShown);
  return first < 0 ? [] : [line(title, 'dim'), ...lines.slice(first)];
}

export function dialogRows(dialog: HaltDialog, model: Model): number {
  const { body, room } = haltLayout(dialog, model);
  return Math.min(body.length, room) + FRAME_ROWS;
}

/** Returns the HALT dialog, which is as wide as the screen and at most as high as the space above the prompt. */
export function decisionView(dialog: HaltDialog, model: Model): readonly Line[] {
  const { cols } = layoutOf(model);
  const { body, room, top } = haltLayout(dialog, model);
  const shown = body.slice(top, top + room);
  return [
    banner(dialog, model, cols),
    ...shown.map((each) => boxed(each, cols)),
    boxed(note(dialog, model), cols),
    boxed(markHeld(keysOf(dialog, model), heldKey(model)), cols),
    [span(`└${'─'.repeat(Math.max(0, cols - 2))}┘`, 'bad')],
  ];
}

function banner({ decision }: HaltDialog, model: Model, cols: number): Line {
  const index = model.decisions.findIndex(({ id }) => id === decision.id) + 1;
  const label = decision.goalNumber === null ? kindLabel(decision.kind) : `NORRIS ${kindLabel(decision.kind)}`;
  const left = `  ${label}   ${formatStep(decision)}`;
  const right = `d${decision.number} · ${index} of ${model.decisions.length}  `;
  const gap = Math.max(1, cols - left.length - right.length);
  return fit([span(`${left}${' '.repeat(gap)}${right}`, 'alarm')], cols, 'alarm');
}

function keysOf({ sending, decision, draft, ended }: HaltDialog, model: Model): Line {
  const named = (action: Action, does: string): Line => key(labelOf(model, action), does);
  if (sending !== null) return [span(`${sending}: sending…`, 'warn')];
  if (ended !== null) return named('putAside', 'close; your text goes into the prompt');
  if (draft !== null) return draftKeys({ draft, decision });
  if (takesAnswer(decision.kind)) {
    const isNeed = decision.kind === 'need';
    return [
      ...named('proceed', isNeed ? 'give' : 'answer'),
      ...named('skip', isNeed ? 'refuse' : 'decline'),
      ...named('abort', decision.kind === 'elicitation' ? 'cancel' : 'abort'),
      ...(decision.kind === 'elicitation' ? [] : named('addNote', 'note')),
      ...named('putAside', 'later'),
    ];
  }
  // 80 columns have room for the answers and the main actions. The help lists all keys.
  const isWide = model.size.cols >= WIDE_COLS;
  const isShort = !isWide && isLastQuestion(decision);
  const grant = decision.goalId === null ? (isWide ? 'don’t ask again' : 'don’t ask') : 'grant';
  return [
    ...named('proceed', verdictLabel(decision, 'proceed')),
    ...named('skip', verdictLabel(decision, 'skip')),
    ...(runsSomething(decision.kind) ? named('instead', isWide ? verdictLabel(decision, 'instead') : 'instead') : []),
    ...(isWide ? named('addNote', 'note') : []),
    ...named('abort', verdictLabel(decision, 'abort')),
    ...(canEdit(decision) && isWide ? named('editAction', 'edit') : []),
    ...(canGrant(decision) && !isShort ? named('grantAction', grant) : []),
    ...(isWide && decision.classification !== null ? named('explain', 'why') : []),
    ...(canPreview(decision) ? named('preview', 'preview') : []),
    ...named('putAside', 'later'),
  ];
}

/** Returns the action of the key that is held back. */
function heldKey(model: Model): string | null {
  const action = heldAction(model);
  return action === null ? null : labelOf(model, action);
}

function previewLines(preview: HaltDialog['preview']): readonly Line[] {
  if (preview === null) return [];
  if (preview === 'pending') return [line('the preview is running…', 'dim')];
  const shown = preview.lines.slice(0, PREVIEW_LINES);
  const more = preview.lines.length - shown.length;
  return [line('preview:', 'accent'), ...shown, ...(more > 0 ? [line(`… ${more} more lines`, 'dim')] : [])];
}

/** Returns the explanation of the rule, which is shown on request. */
function explanation({ classification }: Decision, width: number): readonly Line[] {
  if (classification === null) return [];
  const { verdict, reason, ruleId, by } = classification;
  const source = by === 'rule' ? `rule ${ruleId ?? '?'}` : 'a model’s second opinion';
  const text = `${source} says ${verdict}: ${reason ?? 'no reason was given'}. Rules and their reasons: :safety list`;
  return wrapText(oneLine(text), 'accent', width);
}

/** Returns the line of a form's active field. */
function fieldRow(dialog: HaltDialog, width: number): number {
  return draftLines(dialog, width).findIndex(([first]) => first?.text.startsWith('▸') === true);
}

function note(dialog: HaltDialog, model: Model): Line {
  if (heldAction(model) !== null) return [span(HELD_NOTE, 'warn')];
  if (dialog.ended !== null) return [span('Nothing was sent.', 'warn')];
  if (dialog.trouble !== null) return [span(dialog.trouble, 'bad')];
  if (dialog.isArmed) {
    return [span(`press ${labelOf(model, 'abort')} again to abort; any other key cancels`, 'bad')];
  }
  const { body, room, top, hiddenBelow, maxTop } = haltLayout(dialog, model);
  if (maxTop === 0) return [];
  const where = `lines ${top + 1} to ${top + room} of ${body.length}; PgUp and PgDn scroll`;
  return [span(hiddenBelow > 0 ? `there is more below · ${where}` : where, 'warn')];
}

function boxed(content: Line, cols: number): Line {
  return [span('│ ', 'bad'), ...fit(content, Math.max(0, cols - 4)), span(' │', 'bad')];
}

function subjectOf(decision: Decision, model: Model): string {
  const { goalNumber, goalText, sessionId } = decision;
  if (goalNumber !== null) return `goal ${goalNumber}: ${oneLine(goalText ?? '')}`;
  if (!isOfAnotherChat(model, decision)) return 'this chat asks';
  const session = model.sessions[sessionId];
  return session === undefined ? 'another chat asks' : `c${session.number} “${oneLine(session.title)}” asks`;
}

function shorten(text: string, maxChars: number): string {
  return text.length <= maxChars ? text : `${text.slice(0, Math.max(0, maxChars - 1))}…`;
}
