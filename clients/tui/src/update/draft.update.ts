import type { GiveVerdict, GrantScope } from '@aish/contracts/decisions';
import { isJsonObject } from '@aish/contracts/json-text';
import { forShown } from '@aish/client/goals.api';
import { isChosen, chooseNumber, nextChoice } from '@aish/views/form/fields';
import { answerOf, fieldsOf } from '@aish/views/form/read-form';
import {
  just,
  type Draft,
  type EditDraft,
  type FormDraft,
  type HaltDialog,
  type Model,
  type Update,
} from '../model.js';
import { editableAction, toolCall } from '@aish/views/decision.format';
import { emptyPrompt, promptOf } from './prompt.edit.js';

/** Opens the prompt with the action, for editing. */
export function startEdit(model: Model): Update {
  const dialog = openOf(model);
  if (dialog === null) return just(model);
  const before = editableAction(dialog.decision);
  const draft: EditDraft = { type: 'edit', kept: model.prompt, before };
  return just({ ...withDraft(model, dialog, draft), prompt: promptOf(before) });
}

/** Opens the prompt for a note to the model. */
export function startNote(model: Model): Update {
  const dialog = openOf(model);
  if (dialog === null) return just(model);
  const prompt = promptOf(model.notes[dialog.decision.id] ?? '');
  return just({ ...withDraft(model, dialog, { type: 'message', kept: model.prompt }), prompt });
}

/** Handles Enter in a note: the note then waits for its verdict. */
function keepNote(model: Model): Update {
  const dialog = openOf(model);
  if (dialog?.draft?.type !== 'message') return just(model);
  const note = model.prompt.text.trim();
  const { [dialog.decision.id]: _old, ...others } = model.notes;
  const notes = note === '' ? others : { ...others, [dialog.decision.id]: note };
  return just({ ...withDraft(model, dialog, null), notes, prompt: dialog.draft.kept });
}

/** Adds the person's note to a verdict. */
export function withNote(model: Model, { decision }: HaltDialog, given: GiveVerdict): GiveVerdict {
  const message = model.notes[decision.id];
  return message === undefined ? given : { ...given, message };
}

/** Asks for the extent of the grant. */
export function startGrant(model: Model): Update {
  const dialog = openOf(model);
  return just(dialog === null ? model : withDraft(model, dialog, { type: 'grant' }));
}

/** Opens the form with the requested fields. If there are no fields, accepting is the whole answer. */
export function startForm(model: Model): Update {
  const dialog = openOf(model);
  if (dialog === null) return just(model);
  const fields = fieldsOf(dialog.decision.request ?? {});
  const values = fields.map(({ initial }) => initial);
  const draft: FormDraft = { type: 'form', kept: model.prompt, fields, values, at: 0 };
  return fields.length === 0
    ? send(model, dialog, { verdict: 'proceed', answer: {} })
    : just(atField(model, dialog, draft, 0));
}

/** Handles Esc: returns to the question and restores the prompt. */
export function endDraft(model: Model): Update {
  const dialog = dialogOf(model);
  if (dialog === null || dialog.draft === null) return just(model);
  if (dialog.ended !== null) return just(leaveEnded(model));
  return just({ ...withDraft(model, dialog, null), prompt: keptOf(dialog.draft, model) });
}

/** Closes a dialog that takes no more answers, and moves its typed text into the prompt. */
export function leaveEnded(model: Model): Model {
  const dialog = dialogOf(model);
  if (dialog === null) return model;
  const typed = typedIn(model, dialog) ?? '';
  const kept = promptAfter(model, dialog);
  const { [dialog.decision.id]: _left, ...notes } = model.notes;
  const closed: Model = { ...model, notes, overlay: null, completion: null, prompt: kept };
  if (typed === '') return closed;
  return {
    ...closed,
    prompt: promptOf([kept.text, typed].filter((each) => each !== '').join('\n')),
    isPromptOpen: true,
  };
}

/** Returns the text that was typed for a decision, null if there is none, or '' if it is hidden. */
export function typedIn(model: Model, { decision, draft }: HaltDialog): string | null {
  const note = model.notes[decision.id];
  switch (draft?.type) {
    case 'edit':
      return [note ?? '', model.prompt.text].filter((each) => each !== '').join('\n');
    case 'message':
      return model.prompt.text;
    case 'form':
      return withTyped(draft, model)
        .values.filter((value, at) => value !== '' && draft.fields[at]?.kind === 'text' && !draft.fields[at].isHidden)
        .join('\n');
    case 'grant':
    case undefined:
      return note ?? null;
  }
}

/** Returns the prompt's text after the dialog closes. */
export function promptAfter(model: Model, { draft }: HaltDialog): Model['prompt'] {
  return draft === null ? model.prompt : keptOf(draft, model);
}

/** Puts a verdict that the server refused back into the dialog. */
export function withSent(model: Model, dialog: HaltDialog, change: Partial<HaltDialog>): Model {
  const { sent } = dialog;
  const back: HaltDialog = { ...dialog, draft: sent?.draft ?? null, sent: null, sending: null, ...change };
  return { ...model, prompt: sent?.prompt ?? model.prompt, overlay: back };
}

/** Handles Enter in a draft. */
export function sendDraft(model: Model): Update {
  const draft = dialogOf(model)?.draft ?? null;
  if (draft?.type === 'edit') return sendEdit(model);
  return draft?.type === 'message' ? keepNote(model) : enterField(model);
}

/** Handles Enter in an edit. An unchanged command is not sent, because p runs it. */
function sendEdit(model: Model): Update {
  const dialog = dialogOf(model);
  if (dialog?.draft?.type !== 'edit') return just(model);
  const command = model.prompt.text.trim();
  if (command === '') return trouble(model, dialog, 'The command is empty. Press s to skip the action.');
  if (command === dialog.draft.before.trim())
    return trouble(model, dialog, 'Nothing has changed. Press p to run the command as it is.');
  const tool = toolCall(dialog.decision.action);
  if (tool === null) return send(model, dialog, { verdict: 'edit', command });
  const typed = toolCall(command) ?? { name: tool.name, args: command };
  if (typed.name !== tool.name) {
    return trouble(model, dialog, `You cannot call another tool here. Change the arguments of ${tool.name}.`);
  }
  return isJsonObject(typed.args)
    ? send(model, dialog, { verdict: 'edit', command: typed.args })
    : trouble(model, dialog, 'These are not valid arguments. Write a JSON object, such as {"name": "value"}.');
}

export function grant(model: Model, scope: GrantScope): Update {
  const dialog = dialogOf(model);
  return dialog === null
    ? just(model)
    : send(model, dialog, {
        verdict: 'proceed',
        grant: scope,
        ...(scope === 'variables' ? { carried: true } : {}),
        ...named(dialog),
      });
}

/** Moves to the field above or below. The send button follows the last field. */
export function moveField(model: Model, by: number): Update {
  const { dialog, draft } = formOf(model);
  if (dialog === null || draft === null) return just(model);
  const at = Math.min(draft.fields.length, Math.max(0, draft.at + by));
  return just(atField(model, dialog, withTyped(draft, model), at));
}

/** Handles Enter in a form: moves to the next field, or sends the form at the send button. */
function enterField(model: Model): Update {
  const { dialog, draft } = formOf(model);
  if (dialog === null || draft === null) return just(model);
  if (draft.at < draft.fields.length) return moveField(model, 1);
  const read = answerOf(draft.fields, draft.values);
  if ('trouble' in read) return trouble(atField(model, dialog, draft, read.at), null, read.trouble);
  const answer = Object.fromEntries(Object.entries(read.answer));
  return send(model, dialog, { verdict: 'proceed', answer });
}

/** Selects the next choice of a field, or the choice with a number. */
export function changeChoice(model: Model, change: { readonly by: 1 | -1 } | { readonly number: number }): Update {
  const { dialog, draft } = formOf(model);
  const field = draft?.fields[draft.at];
  if (dialog === null || draft === null || field === undefined || !isChosen(field)) return just(model);
  const old = draft.values[draft.at] ?? '';
  const value = 'by' in change ? nextChoice(field, old, change.by) : chooseNumber(field, old, change.number);
  return just(withDraft(model, dialog, { ...draft, values: draft.values.with(draft.at, value) }));
}

/** Returns the preview that the person saw, which a proceed names. */
export function named({ preview: tried }: HaltDialog): Pick<GiveVerdict, 'preview'> {
  return tried === null || tried === 'pending' || tried.id === null ? {} : { preview: tried.id };
}

function send(model: Model, dialog: HaltDialog, verdict: GiveVerdict): Update {
  if (dialog.ended !== null) return just(model);
  const { draft, decision } = dialog;
  const sent = draft === null || draft.type === 'grant' ? null : { draft, prompt: model.prompt };
  const given = withNote(model, dialog, verdict);
  const sending: HaltDialog = { ...dialog, draft: null, sent, sending: given.verdict, trouble: null, isArmed: false };
  return {
    model: { ...model, prompt: promptAfter(model, dialog), overlay: sending },
    effects: [{ type: 'giveVerdict', decisionId: decision.id, given: forShown(decision, given) }],
  };
}

/** Returns the dialog, if it still takes an answer. */
function openOf(model: Model): HaltDialog | null {
  const dialog = dialogOf(model);
  return dialog === null || dialog.sending !== null || dialog.ended !== null ? null : dialog;
}

function atField(model: Model, dialog: HaltDialog, draft: FormDraft, at: number): Model {
  const field = draft.fields[at];
  const isTyped = field !== undefined && !isChosen(field);
  const shown = withDraft(model, dialog, { ...draft, at });
  return { ...shown, prompt: isTyped ? promptOf(draft.values[at] ?? '') : emptyPrompt };
}

function withTyped(draft: FormDraft, model: Model): FormDraft {
  const field = draft.fields[draft.at];
  if (field === undefined || isChosen(field)) return draft;
  return { ...draft, values: draft.values.with(draft.at, model.prompt.text) };
}

function withDraft(model: Model, dialog: HaltDialog, draft: Draft | null): Model {
  return { ...model, completion: null, overlay: { ...dialog, draft, trouble: null } };
}

function keptOf(draft: Draft, model: Model): Model['prompt'] {
  return draft.type === 'grant' ? model.prompt : draft.kept;
}

function trouble(model: Model, dialog: HaltDialog | null, text: string): Update {
  const shown = dialog ?? dialogOf(model);
  return just(shown === null ? model : { ...model, overlay: { ...shown, trouble: text } });
}

function formOf(model: Model): { readonly dialog: HaltDialog | null; readonly draft: FormDraft | null } {
  const dialog = dialogOf(model);
  return { dialog, draft: dialog?.draft?.type === 'form' ? dialog.draft : null };
}

function dialogOf(model: Model): HaltDialog | null {
  return model.overlay?.type === 'halt' ? model.overlay : null;
}
