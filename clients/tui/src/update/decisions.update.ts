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
 * Opens a decision that waits, unless the person is at something else, has put it aside, or it is of a chat elsewhere.
 * The chat or the goal that is looked at asks first; of the rest the oldest, unless the chosen goal waits itself.
 */
export function offerDecision(model: Model): Model {
  if (model.overlay !== null || model.prompt.text !== '' || model.hasPrefix || model.search !== null) return model;
  const open = model.decisions.filter((each) => !model.aside.includes(each.id) && !isOfAnotherChat(model, each));
  const ofChat = model.view === 'chat' ? open.find(({ goalId }) => goalId === null) : undefined;
  const isOfChosen = ofChosenGoal(model, model.decisions) !== undefined;
  const next = isOfChosen ? ofChosenGoal(model, open) : (ofChat ?? open[0]);
  return next === undefined ? model : openDialog(model, next);
}

/**
 * Opens a decision because the person asked for it: this one, else that of the goal that is looked at, else the oldest.
 * All that were put aside come back.
 */
export function openDecision(model: Model, decision?: Decision): Model {
  if (decision !== undefined) {
    return openDialog({ ...model, aside: model.aside.filter((id) => id !== decision.id) }, decision);
  }
  const next = ofChosenGoal(model, model.decisions) ?? model.decisions[0];
  return next === undefined ? model : openDialog({ ...model, aside: [] }, next);
}

/** The card below the steps of a goal is not to be of another goal. */
function ofChosenGoal({ view, chosen }: Model, decisions: readonly Decision[]): Decision | undefined {
  return view === 'goals' && chosen !== null ? decisions.find(({ goalId }) => goalId === chosen) : undefined;
}

/** Shows the next one of those that wait; the one that is left stays unanswered. */
export function nextDecision(model: Model): Model {
  const dialog = haltDialog(model);
  if (dialog === null || dialog.sending !== null) return model;
  if (dialog.ended !== null) return leaveEnded(model);
  const at = model.decisions.findIndex(({ id }) => id === dialog.decision.id);
  const next = model.decisions[(at + 1) % model.decisions.length];
  return next === undefined ? model : openDialog(model, next);
}

/** Has the action run before it counts. */
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

/** Shows what the rule says, or hides it again. */
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
  const listed = { ...model, decisions, decisionAt, aside: model.aside.filter(waits), notes };
  if (dialog === null) return { model: listed, effects: [] };
  const { id: decisionId, number } = dialog.decision;
  if (waits(decisionId)) return { model: { ...listed, overlay: asShown(dialog, decisions) }, effects: [] };
  // The api's answer already reports our own verdict, even a refused one. For any other verdict we ask who gave it.
  if (dialog.sending !== null || dialog.ended !== null) return { model: listed, effects: [] };
  const effects: Effect[] = [{ type: 'seeDecision', decisionId }];
  if (typedIn(model, dialog) === null) {
    return { model: { ...listed, prompt: promptAfter(model, dialog), overlay: null }, effects };
  }
  const ended = `d-${number} does not wait any more`;
  return { model: { ...listed, overlay: { ...dialog, ended, top: 0, trouble: null } }, effects };
}

/** Updates who has approved it. The text that the person reads stays: a verdict for an older version is refused. */
function asShown(dialog: HaltDialog, decisions: readonly Decision[]): HaltDialog {
  const { id, version } = dialog.decision;
  const fresh = decisions.find((each) => each.id === id && each.version === version);
  return fresh === undefined ? dialog : { ...dialog, decision: fresh };
}

/** Says how a decision ended that this person did not answer. */
export function sayWhoAnswered(model: Model, decision: Decision): Model {
  const answer = formatVerdict(decision);
  if (answer === null) return model;
  const said = `d-${decision.number} was answered elsewhere: ${answer}`;
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

/** What abort ends cannot be taken back: it is asked once more, and that is a new question. */
function arm(model: Model, dialog: HaltDialog): Model {
  return { ...model, overlay: { ...dialog, isArmed: true, trouble: null, deafUntilMs: model.nowMs + DEAF_MS } };
}

/** The dialog while it takes an answer. */
function openDialogOf(model: Model): HaltDialog | null {
  const dialog = haltDialog(model);
  return dialog === null || dialog.sending !== null || dialog.ended !== null ? null : dialog;
}

/** b: what waits for another person, or for the window, waits no more. */
export function takeBack(model: Model): Update {
  const dialog = openDialogOf(model);
  if (dialog === null) return { model, effects: [] };
  return {
    model: { ...model, overlay: { ...dialog, sending: 'take back', trouble: null } },
    effects: [{ type: 'takeBack', decisionId: dialog.decision.id }],
  };
}

/** g: how much is granted is asked next, of who has read the action to its end. */
export function askGrant(model: Model): Update {
  const dialog = openDialogOf(model);
  if (dialog === null) return { model, effects: [] };
  return isUnread(dialog, model) ? unread(model, dialog) : startGrant(model);
}

function isUnread(dialog: HaltDialog, model: Model): boolean {
  return haltLayout(dialog, model).hiddenBelow > 0;
}

function unread(model: Model, dialog: HaltDialog): Update {
  const trouble = 'The action goes on below: read it to its end (PgDn) before you let it run.';
  return { model: { ...model, overlay: { ...dialog, trouble } }, effects: [] };
}

export function verdictGiven(model: Model, decision: Decision): Update {
  const said = withFlash(model, `d-${decision.number}: ${formatGiven(decision)}`, 'good');
  return { model: withoutDecision(said, decision.id), effects: [{ type: 'listDecisions' }, { type: 'listGoals' }] };
}

export function verdictRefused(model: Model, decisionId: string, error: ApiError): Update {
  const shown = haltDialog(model);
  const dialog = shown?.decision.id === decisionId ? shown : null;
  const isOver = error.code === 'decision_taken' || error.code === 'not_found';
  if (isOver && dialog !== null && (dialog.sent !== null || decisionId in model.notes)) {
    const decisions = model.decisions.filter(({ id }) => id !== decisionId);
    const kept = withSent({ ...model, decisions }, dialog, { ended: error.message, top: 0 });
    return { model: { ...kept, aside: [...model.aside, decisionId] }, effects: [{ type: 'listDecisions' }] };
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

export function putAside(model: Model): Model {
  const dialog = haltDialog(model);
  if (dialog === null) return model;
  if (dialog.ended !== null) return leaveEnded(model);
  return { ...model, overlay: null, aside: [...model.aside, dialog.decision.id] };
}

export function scrollHalt(model: Model, by: number): Model {
  const dialog = haltDialog(model);
  if (dialog === null) return model;
  const { maxTop } = haltLayout(dialog, model);
  return { ...model, overlay: { ...dialog, trouble: null, top: Math.min(maxTop, Math.max(0, dialog.top + by)) } };
}

/** Asks what the chat is called whose decision has just been opened, when it is not the one that is shown. */
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
  // A list that was asked for before the answer may still name it.
  const { [decisionId]: _sent, ...notes } = model.notes;
  return { ...model, decisions, notes, aside: [...model.aside, decisionId], overlay: isShown ? null : model.overlay };
}
