import type { Decision, Verdict } from '@aish/contracts';
import type { ApiError } from '../api/api.error.js';
import { formatVerdict } from '../format/decision.format.js';
import type { Effect, HaltDialog, Model, Update } from '../model.js';
import { haltLayout } from '../views/decision.view.js';
import { withFlash } from './flash.js';

/** A person who types into the prompt does not see the dialog at once; until then keys are not meant for it. */
export const DEAF_MS = 400;

/** Opens the oldest decision that waits, unless the person is at something else or has put it aside. */
export function offerDecision(model: Model): Model {
  if (model.overlay !== null || model.prompt.text !== '' || model.hasPrefix) return model;
  const next = model.decisions.find(({ id }) => !model.aside.includes(id));
  return next === undefined ? model : openDialog(model, next);
}

/** Opens a decision because the person asked for it; those put aside come back. */
export function openDecision(model: Model): Model {
  const first = model.decisions[0];
  return first === undefined ? model : openDialog({ ...model, aside: [] }, first);
}

export function takeDecisions(model: Model, decisions: readonly Decision[]): Update {
  const waits = (id: string) => decisions.some((decision) => decision.id === id);
  const listed = { ...model, decisions, aside: model.aside.filter(waits) };
  const dialog = haltDialog(model);
  if (dialog === null || waits(dialog.decision.id)) return { model: listed, effects: [] };
  const closed = { ...listed, overlay: null };
  // Our own verdict is told by its answer; of anybody else's we ask whose it was.
  const effects: Effect[] = dialog.sending === null ? [{ type: 'seeDecision', decisionId: dialog.decision.id }] : [];
  return { model: closed, effects };
}

/** Says how a decision ended that this person did not answer. */
export function tellAnswer(model: Model, decision: Decision): Model {
  const answer = formatVerdict(decision);
  return answer === null ? model : withFlash(model, `d-${decision.number} was answered elsewhere: ${answer}`, 'warn');
}

export function answer(model: Model, verdict: Verdict): Update {
  const dialog = haltDialog(model);
  if (dialog === null || dialog.sending !== null) return { model, effects: [] };
  const { hiddenBelow } = haltLayout(dialog, model);
  if (verdict === 'proceed' && hiddenBelow > 0) {
    const trouble = 'The action goes on below: read it to its end (PgDn) before you let it run.';
    return { model: { ...model, overlay: { ...dialog, trouble } }, effects: [] };
  }
  return {
    model: { ...model, overlay: { ...dialog, sending: verdict, trouble: null } },
    effects: [{ type: 'giveVerdict', decisionId: dialog.decision.id, verdict }],
  };
}

export function verdictTaken(model: Model, decision: Decision): Update {
  const said = withFlash(model, `d-${decision.number}: ${formatVerdict(decision) ?? decision.state}`, 'good');
  return { model: withoutDecision(said, decision.id), effects: [{ type: 'listDecisions' }, { type: 'listGoals' }] };
}

export function verdictRefused(model: Model, decisionId: string, error: ApiError): Update {
  if (error.code === 'decision_taken' || error.code === 'not_found') {
    const said = withFlash(withoutDecision(model, decisionId), error.message, 'warn');
    return { model: said, effects: [{ type: 'listDecisions' }] };
  }
  const dialog = haltDialog(model);
  const trouble = `Not sent: ${error.message}`;
  if (dialog?.decision.id !== decisionId) return { model: withFlash(model, trouble, 'bad'), effects: [] };
  return { model: { ...model, overlay: { ...dialog, sending: null, trouble } }, effects: [] };
}

export function putAside(model: Model): Model {
  const dialog = haltDialog(model);
  if (dialog === null) return model;
  return { ...model, overlay: null, aside: [...model.aside, dialog.decision.id] };
}

export function scrollHalt(model: Model, by: number): Model {
  const dialog = haltDialog(model);
  if (dialog === null) return model;
  const { maxTop } = haltLayout(dialog, model);
  return { ...model, overlay: { ...dialog, trouble: null, top: Math.min(maxTop, Math.max(0, dialog.top + by)) } };
}

export function haltDialog(model: Model): HaltDialog | null {
  return model.overlay?.type === 'halt' ? model.overlay : null;
}

function openDialog(model: Model, decision: Decision): Model {
  const deafUntilMs = model.nowMs + DEAF_MS;
  return { ...model, overlay: { type: 'halt', decision, deafUntilMs, top: 0, sending: null, trouble: null } };
}

function withoutDecision(model: Model, decisionId: string): Model {
  const isShown = haltDialog(model)?.decision.id === decisionId;
  const decisions = model.decisions.filter(({ id }) => id !== decisionId);
  // A list that was asked for before the answer may still name it.
  return { ...model, decisions, aside: [...model.aside, decisionId], overlay: isShown ? null : model.overlay };
}
