import { bindingFor, placeOf } from '../keys/binding.js';
import { DEAF_MS, QUIET_MS, TYPING_MS } from '@aish/views/verdict-line';
import { chosenGoal, just, type Model, type Update } from '../model.js';
import { isPane } from '../view-id.js';
import { leaveEnded } from './draft.update.js';
import { withFlash } from './flash.js';
import { insert } from './prompt.edit.js';

const TYPED_IN_LIST = 'this is text now: Enter sends it, Esc deletes it';

/**
 * A person who types does not notice immediately that a question has appeared, and "a quick plan" must not abort a
 * goal. Therefore a printable key answers only if it stands alone, with no text shortly before it and no other key
 * shortly after it. If the person goes on typing, the text goes into the prompt. This file is pure: the pause after the
 * key comes back as a message.
 */

/** Returns whether this printable key must stand alone here. Where text is typed, no key must. */
export function mustStandAlone(model: Model, key: string): boolean {
  if (model.hasPrefix || askedOf(model) === null || placeOf(model) === 'search') return false;
  if (model.held !== null || isTypingOn(model)) return true;
  const place = placeOf(model);
  if (place !== 'page' && place !== 'grants' && (place !== 'list' || model.isUnasked)) return true;
  return bindingFor(model, key)?.isAnswer === true;
}

/** Holds a printable key back until it is known to stand alone, or treats it as text. */
export function holdKey(model: Model, key: string, text: string): Update {
  const { held, nowMs: atMs } = model;
  const asked = askedOf(model);
  // In a list, pressing the same key twice is not a word: the person presses it for one row after the other.
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

/** Handles the pause after a key that was held back. Returns null if the key has no meaning anyway. */
export function standAlone(model: Model, atMs: number): { readonly model: Model; readonly key: string | null } {
  const { held } = model;
  if (held === null || held.atMs !== atMs) return { model, key: null };
  const free: Model = { ...model, held: null };
  if (held.isEarly)
    return { model: hint(free, `“${held.text}” came too soon to be an answer: press it again`), key: null };
  if (bindingFor(free, held.key) === undefined)
    return { model: hint(free, `“${held.text}” is not an answer here`), key: null };
  return { model: { ...free, isUnasked: false, strayed: null }, key: held.key };
}

/**
 * Drops a key that is held back, because any other key cancels it. A person who presses a key has seen the list that
 * opened by itself.
 */
export function releaseHeld(model: Model): Model {
  if (model.held === null) return model.isUnasked ? { ...model, isUnasked: false } : model;
  return { ...model, held: null, isUnasked: false, typedAtMs: model.nowMs };
}

/** Drops a key that is held back if its question is no longer open, because it answers no other question. */
export function dropStray(model: Model): Model {
  return model.held === null || model.held.asked === askedOf(model) ? model : { ...model, held: null };
}

/**
 * Puts text that is typed at a question or over a page into the prompt, and closes the element in its way. A page that
 * appeared over a text being typed stays.
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
  if (!isKept) return withFlash(typed, 'typed text, so not an answer', 'warn');
  const prompt = insert(model.prompt, strayedOf(model) + (held?.text ?? '') + text);
  const next: Model = { ...typed, prompt, completion: null, isPromptOpen: true };
  if (overlay === null && !model.isUnasked && model.view !== 'chat') return withFlash(next, TYPED_IN_LIST, 'warn');
  // The list of goals, and a page without a question, ask nothing.
  const isNoAnswer = isPage ? overlay.yes !== null : overlay !== null || model.view !== 'goals';
  return isNoAnswer ? withFlash(next, 'typed text, so not an answer', 'warn') : next;
}

/** Handles a letter without a meaning in a list. Together with the letter before it, it begins a text. */
export function typeInList(model: Model, text: string): Model {
  return strayedOf(model) === '' ? stray(model, text) : typeOn(model, text);
}

/** A letter that moved a page may begin a text. */
export function stray(model: Model, text: string): Model {
  return { ...model, strayed: { text: strayedOf(model) + text, atMs: model.nowMs } };
}

function strayedOf({ strayed, nowMs }: Model): string {
  return strayed !== null && isWithin(nowMs - strayed.atMs, QUIET_MS) ? strayed.text : '';
}

/**
 * Returns the name of the question that single keys answer now, or null if there is none that text could answer by
 * mistake.
 */
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

/** Returns the list that opened without a key for it: the memory with proposals, or the goals after one was given. */
function unaskedOf({ view, panes }: Model): string | null {
  if (view === 'memory') return `memory ${panes.memory.chosen ?? ''}`;
  return view === 'goals' ? 'goals' : null;
}

/** Returns the row that a list's keys apply to. A key that is held back must not act on another row. */
function chosenOf(model: Model): string {
  const { view, panes } = model;
  return `${view} ${isPane(view) ? (panes[view].chosen ?? '') : (chosenGoal(model)?.id ?? '')}`;
}

/**
 * Returns whether the open question or list may have appeared by itself. Other questions, the grants and the list of
 * goals open because of a key or a line.
 */
function comesByItself({ overlay, view, isUnasked }: Model): boolean {
  if (overlay === null) return isUnasked && view === 'memory';
  return overlay.type === 'halt' || overlay.type === 'page';
}

/** Returns whether nobody has had time to read the question. */
function isUnread({ overlay, nowMs }: Model): boolean {
  return overlay?.type === 'halt' && isWithin(nowMs - (overlay.deafUntilMs - DEAF_MS), DEAF_MS);
}

function hasJustTyped({ typedAtMs, nowMs }: Model): boolean {
  return typedAtMs !== null && isWithin(nowMs - typedAtMs, TYPING_MS);
}

/** Returns whether a time span is within the limit. If the clock was set back, a short span must not last for hours. */
function isWithin(ms: number, limitMs: number): boolean {
  return ms >= 0 && ms < limitMs;
}

/** Returns whether a page appeared over an unfinished text. */
export function isTypingOn(model: Model): boolean {
  return model.overlay?.type === 'page' && model.prompt.text !== '' && hasJustTyped(model);
}

/** Cancels the first press of abort, because another key was pressed. */
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
