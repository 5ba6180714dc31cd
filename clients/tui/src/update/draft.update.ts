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

/** Opens the prompt with the action that waits, to be run in another form. */
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

/** Enter in such a note: it waits for the verdict that it goes with. */
function keepNote(model: Model): Update {
  const dialog = openOf(model);
  if (dialog?.draft?.type !== 'message') return just(model);
  const note = model.prompt.text.trim();
  const { [dialog.decision.id]: _old, ...others } = model.notes;
  const notes = note === '' ? others : { ...others, [dialog.decision.id]: note };
  return just({ ...withDraft(model, dialog, null), notes, prompt: dialog.draft.kept });
}

/** A verdict with the note that is written for it. */
export function withNote(model: Model, { decision }: HaltDialog, given: GiveVerdict): GiveVerdict {
  const message = model.notes[decision.id];
  return message === undefined ? given : { ...given, message };
}

/** Asks how much is granted. */
export function startGrant(model: Model): Update {
  const dialog = openOf(model);
  return just(dialog === null ? model : withDraft(model, dialog, { type: 'grant' }));
}

/** Opens the fields that a server asks for; without any there is nothing to fill in, and yes is the whole answer. */
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

/** Esc: back to the question; what stood in the prompt is there again. */
export function endDraft(model: Model): Update {
  const dialog = dialogOf(model);
  if (dialog === null || dialog.draft === null) return just(model);
  if (dialog.ended !== null) return just(leaveEnded(model));
  return just({ ...withDraft(model, dialog, null), prompt: keptOf(dialog.draft, model) });
}

/** Closes a dialog that takes no answer any more, and moves the text that was typed for it into the prompt. */
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

/** What a person has written for a decision; null where that is nothing, '' where it is not to be seen. */
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

/** The text of the prompt once the dialog is closed. */
export function promptAfter(model: Model, { draft }: HaltDialog): Model['prompt'] {
  return draft === null ? model.prompt : keptOf(draft, model);
}

/** Puts a verdict that the server refused back into the dialog. */
export function withSent(model: Model, dialog: HaltDialog, change: Partial<HaltDialog>): Model {
  const { sent } = dialog;
  const back: HaltDialog = { ...dialog, draft: sent?.draft ?? null, sent: null, sending: null, ...change };
  return { ...model, prompt: sent?.prompt ?? model.prompt, overlay: back };
}

/** Enter while an answer is typed. */
export function sendDraft(model: Model): Update {
  const draft = dialogOf(model)?.draft ?? null;
  if (draft?.type === 'edit') return sendEdit(model);
  return draft?.type === 'message' ? keepNote(model) : enterField(model);
}

/** Enter in an edit. What has not been changed is not sent: p runs it as it is. */
function sendEdit(model: Model): Update {
  const dialog = dialogOf(model);
  if (dialog?.draft?.type !== 'edit') return just(model);
  const command = model.prompt.text.trim();
  if (command === '') return trouble(model, dialog, 'There is nothing to run: s skips it.');
  if (command === dialog.draft.before.trim()) return trouble(model, dialog, 'Nothing is changed: p runs it as it is.');
  const tool = toolCall(dialog.decision.action);
  if (tool === null) return send(model, dialog, { verdict: 'edit', command });
  const typed = toolCall(command) ?? { name: tool.name, args: command };
  if (typed.name !== tool.name) {
    return trouble(model, dialog, `Another tool cannot be called here: change the arguments of ${tool.name}.`);
  }
  return isJsonObject(typed.args)
    ? send(model, dialog, { verdict: 'edit', command: typed.args })
    : trouble(model, dialog, 'These are no arguments: a JSON object is wanted, as {"name": "value"}.');
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

/** To the field above or below; past the last one is the line that sends. */
export function moveField(model: Model, by: number): Update {
  const { dialog, draft } = formOf(model);
  if (dialog === null || draft === null) return just(model);
  const at = Math.min(draft.fields.length, Math.max(0, draft.at + by));
  return just(atField(model, dialog, withTyped(draft, model), at));
}

/** Enter in a form: the next field; on the line below the last one it sends. */
function enterField(model: Model): Update {
  const { dialog, draft } = formOf(model);
  if (dialog === null || draft === null) return just(model);
  if (draft.at < draft.fields.length) return moveField(model, 1);
  const read = answerOf(draft.fields, draft.values);
  if ('trouble' in read) return trouble(atField(model, dialog, draft, read.at), null, read.trouble);
  const answer = Object.fromEntries(Object.entries(read.answer));
  return send(model, dialog, { verdict: 'proceed', answer });
}

/** The next choice of the field, or the one with a number. */
export function changeChoice(model: Model, change: { readonly by: 1 | -1 } | { readonly number: number }): Update {
  const { dialog, draft } = formOf(model);
  const field = draft?.fields[draft.at];
  if (dialog === null || draft === null || field === undefined || !isChosen(field)) return just(model);
  const old = draft.values[draft.at] ?? '';
  const value = 'by' in change ? nextChoice(field, old, change.by) : chooseNumber(field, old, change.number);
  return just(withDraft(model, dialog, { ...draft, values: draft.values.with(draft.at, value) }));
}

/** What a proceed names: the run that the person was shown, and no other. */
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

/** The dialog while it takes an answer. */
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
