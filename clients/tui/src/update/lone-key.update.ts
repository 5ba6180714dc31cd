import { bindingFor, placeOf } from '../keys/binding.js';
import { DEAF_MS, QUIET_MS, TYPING_MS } from '@aish/views/verdict-line';
import { chosenGoal, just, type Model, type Update } from '../model.js';
import { isPane } from '../view-id.js';
import { leaveEnded } from './draft.update.js';
import { withFlash } from './flash.js';
import { insert } from './prompt.edit.js';

const TYPED_IN_LIST = 'this is text now: Enter sends it, Esc drops it';

/**
 * Who types does not see at once that a question has come up, and "a quick plan" must not abort a goal. So a printable
 * key answers only when it stands alone: no text shortly before it, no other key shortly after it. What is typed on goes
 * into the prompt, where it was meant to go. Pure: the pause after it comes back as a message.
 */

/** Whether this printable key has to stand alone here. Where text is typed none has to. */
export function mustStandAlone(model: Model, key: string): boolean {
  if (model.hasPrefix || askedOf(model) === null || placeOf(model) === 'search') return false;
  if (model.held !== null || isTypingOn(model)) return true;
  const place = placeOf(model);
  if (place !== 'page' && place !== 'grants' && (place !== 'list' || model.isUnasked)) return true;
  return bindingFor(model, key)?.isAnswer === true;
}

/** Holds a printable key back until it is known to stand alone, or takes it for text when it does not. */
export function holdKey(model: Model, key: string, text: string): Update {
  const { held, nowMs: atMs } = model;
  const asked = askedOf(model);
  // In a list the same key again is no word: it is pressed for one row after the other.
  if (held !== null && held.key === key && placeOf(model) === 'list' && !model.isUnasked) {
    const first = runHeld(model, key);
    const again = holdKey({ ...first.model, held: null }, key, text);
    return { model: again.model, effects: [...first.effects, ...again.effects] };
  }
  if (held !== null || isTypingOn(model) || asked === null) return just(typeOn(model, text));
  const isAbort = bindingFor(model, key)?.action === 'abort';
  const isClosing = bindingFor(model, key)?.action === 'closePage';
  const isEarly = !isClosing && comesByItself(model) && (isUnread(model) || hasJustTyped(model));
  return {
    model: {
      ...withTrouble(isAbort ? model : disarmed(model), null),
      held: { key, text, asked, isEarly, atMs },
      strayed: strayedOf(model) === '' ? null : { text: strayedOf(model), atMs },
    },
    effects: [{ type: 'awaitQuiet', atMs }],
  };
}

function runHeld(model: Model, key: string): Update {
  const binding = bindingFor(model, key);
  const whyNot = binding?.unavailable?.(model);
  if (whyNot !== undefined) return just(withFlash(model, whyNot));
  return binding?.run(model) ?? just(model);
}

/** Nothing was typed after the key: null when it does not count all the same. */
export function standAlone(model: Model, atMs: number): { readonly model: Model; readonly key: string | null } {
  const { held } = model;
  if (held === null || held.atMs !== atMs) return { model, key: null };
  const free: Model = { ...model, held: null };
  if (held.isEarly)
    return { model: hint(free, `“${held.text}” came too soon to be an answer: press it again`), key: null };
  if (bindingFor(free, held.key) === undefined)
    return { model: hint(free, `“${held.text}” is no answer here`), key: null };
  return { model: { ...free, isUnasked: false, strayed: null }, key: held.key };
}

/** Any other key takes a held one back; who presses one has seen the list that came up by itself. */
export function releaseHeld(model: Model): Model {
  if (model.held === null) return model.isUnasked ? { ...model, isUnasked: false } : model;
  return { ...model, held: null, isUnasked: false, typedAtMs: model.nowMs };
}

/** A held key never answers anything else than what was on the screen when it was pressed. */
export function dropStray(model: Model): Model {
  return model.held === null || model.held.asked === askedOf(model) ? model : { ...model, held: null };
}

/**
 * Text at a question or over a page: it goes into the prompt, and what is in its way makes way. Only a page that came up
 * over a text that is being typed stays.
 */
export function typeOn(shown: Model, text: string): Model {
  const model = shown.overlay?.type === 'halt' && shown.overlay.ended !== null ? leaveEnded(shown) : shown;
  const { overlay, held } = model;
  const isKept = overlay?.type !== 'grants' || model.isUnasked || model.view === 'chat';
  const isPage = overlay?.type === 'page';
  const typed: Model = {
    ...model,
    held: null,
    isUnasked: false,
    typedAtMs: model.nowMs,
    overlay: overlay?.type === 'grants' || isTypingOn(model) ? overlay : null,
    strayed: null,
  };
  if (!isKept) return withFlash(typed, 'typed on, so no answer', 'warn');
  const prompt = insert(model.prompt, strayedOf(model) + (held?.text ?? '') + text);
  const next: Model = { ...typed, prompt, completion: null, isPromptOpen: true };
  if (overlay === null && !model.isUnasked && model.view !== 'chat') return withFlash(next, TYPED_IN_LIST, 'warn');
  // Nothing was asked there.
  const isNoAnswer = isPage ? overlay.yes !== null : overlay !== null || model.view !== 'goals';
  return isNoAnswer ? withFlash(next, 'typed on, so no answer', 'warn') : next;
}

/** A letter that means nothing in a list: with the one before it, it is the beginning of a text. */
export function typeInList(model: Model, text: string): Model {
  return strayedOf(model) === '' ? stray(model, text) : typeOn(model, text);
}

/** A letter that moved a page may be the first one of a text. */
export function stray(model: Model, text: string): Model {
  return { ...model, strayed: { text: strayedOf(model) + text, atMs: model.nowMs } };
}

function strayedOf({ strayed, nowMs }: Model): string {
  return strayed !== null && isWithin(nowMs - strayed.atMs, QUIET_MS) ? strayed.text : '';
}

/** Names what single keys answer now; null when they answer nothing that could be meant otherwise. */
function askedOf(model: Model): string | null {
  const { overlay } = model;
  switch (overlay?.type) {
    case 'halt': {
      const stage = overlay.draft?.type ?? '';
      return stage === '' || stage === 'grant' ? `${overlay.decision.id} ${stage}` : null;
    }
    case 'question':
      return overlay.text;
    case 'page':
      return overlay.title;
    case 'grants':
      return `${overlay.goalId} ${overlay.items?.[overlay.at]?.id ?? ''}`;
    case 'menu':
      return null;
    case undefined:
      if (placeOf(model) !== 'list') return null;
      return model.isUnasked ? unaskedOf(model) : chosenOf(model);
  }
}

/** The lists that come up without a key that asks for them: the memory with proposals, and the goals once one is given. */
function unaskedOf({ view, panes }: Model): string | null {
  if (view === 'memory') return `memory ${panes.memory.chosen ?? ''}`;
  return view === 'goals' ? 'goals' : null;
}

/** What keys of a list are for: they must not meet another row. */
function chosenOf(model: Model): string {
  const { view, panes } = model;
  return `${view} ${isPane(view) ? (panes[view].chosen ?? '') : (chosenGoal(model)?.id ?? '')}`;
}

/** A question or a list of grants comes up because of a key, the goals because of a line; these do not. */
function comesByItself({ overlay, view, isUnasked }: Model): boolean {
  if (overlay === null) return isUnasked && view === 'memory';
  return overlay.type === 'halt' || overlay.type === 'page';
}

/** Nobody has had time to read the question. */
function isUnread({ overlay, nowMs }: Model): boolean {
  return overlay?.type === 'halt' && isWithin(nowMs - (overlay.deafUntilMs - DEAF_MS), DEAF_MS);
}

function hasJustTyped({ typedAtMs, nowMs }: Model): boolean {
  return typedAtMs !== null && isWithin(nowMs - typedAtMs, TYPING_MS);
}

/** A clock that was put back must not make a moment last for hours. */
function isWithin(ms: number, limitMs: number): boolean {
  return ms >= 0 && ms < limitMs;
}

/** A page came up over a text that is not finished. */
export function isTypingOn(model: Model): boolean {
  return model.overlay?.type === 'page' && model.prompt.text !== '' && hasJustTyped(model);
}

/** Any other key than abort takes the first press of that back. */
export function disarmed(model: Model): Model {
  const { overlay } = model;
  return overlay?.type === 'halt' && overlay.isArmed ? { ...model, overlay: { ...overlay, isArmed: false } } : model;
}

function hint(model: Model, text: string): Model {
  return model.overlay?.type === 'halt' ? withTrouble(model, text) : withFlash(model, text, 'warn');
}

function withTrouble(model: Model, trouble: string | null): Model {
  return model.overlay?.type === 'halt' ? { ...model, overlay: { ...model.overlay, trouble } } : model;
}
