import type { Decision } from '@aish/contracts/decisions';
import type { ApiError } from '@aish/client/api.error';
import { forShown } from '@aish/client/goals.api';
import { formatGiven, formatVerdict } from '@aish/views/decision.format';
import type { Effect } from '../messages.js';
import { isOfAnotherChat, type HaltDialog, type Model, type Update } from '../model.js';
import type { Tried } from '../view-state.js';
import { haltLayout } from '../views/decision.view.js';
import { leaveEnded, named, promptAfter, startForm, startGrant, typedIn, withNote, withSent } from './draft.update.js';
import { withFlash } from './flash.js';
import { DEAF_MS } from '@aish/views/verdict-line';

/**
 * Opens a decision, unless the person is doing something else, has closed that decision, or it belongs to another chat.
 * The decision of the chat or goal on the screen comes first, then the oldest, unless the selected goal has one itself.
 */
export function offerDecision(model: Model): Model {
  if (model.overlay !== null || model.prompt.text !== '' || model.hasPrefix || model.search !== null) return model;
  const open = model.decisions.filter(
    (each) => !model.closedDecisions.includes(each.id) && !isOfAnotherChat(model, each),
  );
  const ofChat = model.view === 'chat' ? open.find(({ goalId }) => goalId === null) : undefined;
  const isOfChosen = ofChosenGoal(model, model.decisions) !== undefined;
  const next = isOfChosen ? ofChosenGoal(model, open) : (ofChat ?? open[0]);
  return next === undefined ? model : openDialog(model, next);
}

/**
 * Opens a decision on request: the given one, or else that of the goal on the screen, or else the oldest. Closed
 * decisions may open again.
 */
export function openDecision(model: Model, decision?: Decision): Model {
  if (decision !== undefined) {
    return openDialog(
      { ...model, closedDecisions: model.closedDecisions.filter((id) => id !== decision.id) },
      decision,
    );
  }
  const next = ofChosenGoal(model, model.decisions) ?? model.decisions[0];
  return next === undefined ? model : openDialog({ ...model, closedDecisions: [] }, next);
}

/** Returns the decision of the selected goal, because the card below a goal's steps must not belong to another goal. */
function ofChosenGoal({ view, chosen }: Model, decisions: readonly Decision[]): Decision | undefined {
  return view === 'goals' && chosen !== null ? decisions.find(({ goalId }) => goalId === chosen) : undefined;
}

/** Shows the next open decision. The current one stays open. */
export function nextDecision(model: Model): Model {
  const dialog = haltDialog(model);
  if (dialog === null || dialog.sending !== null) return model;
  if (dialog.ended !== null) return leaveEnded(model);
  const at = model.decisions.findIndex(({ id }) => id === dialog.decision.id);
  const next = model.decisions[(at + 1) % model.decisions.length];
  return next === undefined ? model : openDialog(model, next);
}

export function preview(model: Model): Update {
  const dialog = openDialogOf(model);
  if (dialog === null || dialog.preview !== null) return { model, effects: [] };
  const { id: decisionId, number } = dialog.decision;
  return {
    model: { ...model, overlay: { ...dialog, preview: 'pending' } },
    effects: [{ type: 'preview', decisionId, number }],
  };
}

export function previewed(model: Model, decisionId: string, tried: Tried): Model {
  const dialog = haltDialog(model);
  return dialog?.decision.id === decisionId ? { ...model, overlay: { ...dialog, preview: tried, top: 0 } } : model;
}

/** Shows or hides the explanation of the rule. */
export function explain(model: Model): Model {
  const dialog = haltDialog(model);
  return dialog === null ? model : { ...model, overlay: { ...dialog, isExplained: !dialog.isExplained, top: 0 } };
}

export function decisionsListed(model: Model, decisions: readonly Decision[]): Update {
  const waits = (id: string) => decisions.some((decision) => decision.id === id);
  const decisionAt = Math.min(model.decisionAt, Math.max(0, decisions.length - 1));
  const dialog = haltDialog(model);
  const isKept = (id: string) => waits(id) || id === dialog?.decision.id;
  const notes = Object.fromEntries(Object.entries(model.notes).filter(([id]) => isKept(id)));
  const listed = { ...model, decisions, decisionAt, closedDecisions: model.closedDecisions.filter(waits), notes };
  if (dialog === null) return { model: listed, effects: [] };
  const { id: decisionId, number } = dialog.decision;
  if (waits(decisionId)) return { model: { ...listed, overlay: asShown(dialog, decisions) }, effects: [] };
  // The response to our own verdict already reports it, even if the server refuses the verdict. For any other verdict
  // the terminal reads who gave it.
  if (dialog.sending !== null || dialog.ended !== null) return { model: listed, effects: [] };
  const effects: Effect[] = [{ type: 'seeDecision', decisionId }];
  if (typedIn(model, dialog) === null) {
    return { model: { ...listed, prompt: promptAfter(model, dialog), overlay: null }, effects };
  }
  const ended = `d${number} is no longer open`;
  return { model: { ...listed, overlay: { ...dialog, ended, top: 0, trouble: null } }, effects };
}

/**
 * Updates the approvals of the decision. The text that the person reads stays, because a verdict for an older version
 * is refused.
 */
function asShown(dialog: HaltDialog, decisions: readonly Decision[]): HaltDialog {
  const { id, version } = dialog.decision;
  const fresh = decisions.find((each) => each.id === id && each.version === version);
  return fresh === undefined ? dialog : { ...dialog, decision: fresh };
}

/** Reports a verdict that this person did not give. */
export function sayWhoAnswered(model: Model, decision: Decision): Model {
  const answer = formatVerdict(decision);
  if (answer === null) return model;
  const said = `d${decision.number} was answered elsewhere: ${answer}`;
  const dialog = haltDialog(model);
  if (dialog?.decision.id !== decision.id || dialog.ended === null) return withFlash(model, said, 'warn');
  return { ...model, overlay: { ...dialog, ended: said } };
}

export function answer(
  model: Model,
  verdict: 'proceed' | 'skip' | 'instead' | 'abort',
  more: { readonly carried?: true; readonly inWindow?: true } = {},
): Update {
  const dialog = openDialogOf(model);
  if (dialog === null) return { model, effects: [] };
  if (verdict === 'proceed' && isUnread(dialog, model)) return unread(model, dialog);
  if (verdict === 'proceed' && dialog.decision.request !== null) return startForm(model);
  if (verdict === 'abort' && !dialog.isArmed) return { model: arm(model, dialog), effects: [] };
  const given = withNote(model, dialog, { verdict, ...more, ...(verdict === 'proceed' ? named(dialog) : {}) });
  return {
    model: { ...model, overlay: { ...dialog, sending: verdict, trouble: null, isArmed: false } },
    effects: [{ type: 'giveVerdict', decisionId: dialog.decision.id, given: forShown(dialog.decision, given) }],
  };
}

/** Asks for a second press, because an abort cannot be undone. The second press counts as a new question. */
function arm(model: Model, dialog: HaltDialog): Model {
  return { ...model, overlay: { ...dialog, isArmed: true, trouble: null, deafUntilMs: model.nowMs + DEAF_MS } };
}

/** Returns the dialog, if it still takes an answer. */
function openDialogOf(model: Model): HaltDialog | null {
  const dialog = haltDialog(model);
  return dialog === null || dialog.sending !== null || dialog.ended !== null ? null : dialog;
}

/** Withdraws the approval of an action that still waits (key b). */
export function takeBack(model: Model): Update {
  const dialog = openDialogOf(model);
  if (dialog === null) return { model, effects: [] };
  return {
    model: { ...model, overlay: { ...dialog, sending: 'take back', trouble: null } },
    effects: [{ type: 'takeBack', decisionId: dialog.decision.id }],
  };
}

/** Asks for the extent of the grant, once the action was read to its end (key g). */
export function askGrant(model: Model): Update {
  const dialog = openDialogOf(model);
  if (dialog === null) return { model, effects: [] };
  return isUnread(dialog, model) ? unread(model, dialog) : startGrant(model);
}

function isUnread(dialog: HaltDialog, model: Model): boolean {
  return haltLayout(dialog, model).hiddenBelow > 0;
}

function unread(model: Model, dialog: HaltDialog): Update {
  const trouble = 'There is more below. Read to the end (PgDn) before you approve it.';
  return { model: { ...model, overlay: { ...dialog, trouble } }, effects: [] };
}

export function verdictGiven(model: Model, decision: Decision): Update {
  const said = withFlash(model, `d${decision.number}: ${formatGiven(decision)}`, 'good');
  return { model: withoutDecision(said, decision.id), effects: [{ type: 'listDecisions' }, { type: 'listGoals' }] };
}

export function verdictRefused(model: Model, decisionId: string, error: ApiError): Update {
  const shown = haltDialog(model);
  const dialog = shown?.decision.id === decisionId ? shown : null;
  const isOver = error.code === 'decision_taken' || error.code === 'not_found';
  if (isOver && dialog !== null && (dialog.sent !== null || decisionId in model.notes)) {
    const decisions = model.decisions.filter(({ id }) => id !== decisionId);
    const kept = withSent({ ...model, decisions }, dialog, { ended: error.message, top: 0 });
    return {
      model: { ...kept, closedDecisions: [...model.closedDecisions, decisionId] },
      effects: [{ type: 'listDecisions' }],
    };
  }
  if (isOver) {
    const said = withFlash(withoutDecision(model, decisionId), error.message, 'warn');
    return { model: said, effects: [{ type: 'listDecisions' }] };
  }
  if (error.code === 'decision_changed') {
    const decisions = model.decisions.filter(({ id }) => id !== decisionId);
    const left = dialog === null ? model : leaveEnded(withSent(model, dialog, {}));
    const said = withFlash({ ...left, decisions, notes: model.notes, overlay: null }, error.message, 'warn');
    return { model: said, effects: [{ type: 'listDecisions' }] };
  }
  const trouble = `Not sent: ${error.message}`;
  if (dialog === null) return { model: withFlash(model, trouble, 'bad'), effects: [] };
  return { model: withSent(model, dialog, { trouble }), effects: [] };
}

export function closeHalt(model: Model): Model {
  const dialog = haltDialog(model);
  if (dialog === null) return model;
  if (dialog.ended !== null) return leaveEnded(model);
  return { ...model, overlay: null, closedDecisions: [...model.closedDecisions, dialog.decision.id] };
}

export function scrollHalt(model: Model, by: number): Model {
  const dialog = haltDialog(model);
  if (dialog === null) return model;
  const { maxTop } = haltLayout(dialog, model);
  return { ...model, overlay: { ...dialog, trouble: null, top: Math.min(maxTop, Math.max(0, dialog.top + by)) } };
}

/** Reads the name of the decision's chat, if that chat is not on the screen. */
export function withItsChat(before: Model, { model, effects }: Update): Update {
  const dialog = haltDialog(model);
  if (dialog === null || dialog.decision.id === haltDialog(before)?.decision.id) return { model, effects };
  const { decision } = dialog;
  const isKnown = decision.sessionId in model.sessions;
  if (isKnown || !isOfAnotherChat(model, decision)) return { model, effects };
  return { model, effects: [...effects, { type: 'seeSession', sessionId: decision.sessionId }] };
}

export function haltDialog(model: Model): HaltDialog | null {
  return model.overlay?.type === 'halt' ? model.overlay : null;
}

function openDialog(model: Model, decision: Decision): Model {
  const deafUntilMs = model.nowMs + DEAF_MS;
  return {
    ...model,
    overlay: {
      type: 'halt',
      decision,
      deafUntilMs,
      top: 0,
      sending: null,
      sent: null,
      ended: null,
      isArmed: false,
      trouble: null,
      isExplained: false,
      preview: null,
      draft: null,
    },
  };
}

function withoutDecision(model: Model, decisionId: string): Model {
  const isShown = haltDialog(model)?.decision.id === decisionId;
  const decisions = model.decisions.filter(({ id }) => id !== decisionId);
  // A list that was requested before the answer may still contain the decision.
  const { [decisionId]: _sent, ...notes } = model.notes;
  return {
    ...model,
    decisions,
    notes,
    closedDecisions: [...model.closedDecisions, decisionId],
    overlay: isShown ? null : model.overlay,
  };
}
