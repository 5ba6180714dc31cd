import type { Edited } from '../external-editor.js';
import type { Model } from '../model.js';
import type { Prompt } from '../view-state.js';
import { withFlash } from './flash.js';
import { emptyPrompt, insert, promptOf } from './prompt.edit.js';

export function withPrompt(model: Model, prompt: Prompt): Model {
  return { ...model, prompt, completion: null };
}

/** Returns the prompt after text was typed. */
export function typed(model: Model, text: string): Model {
  return { ...withPrompt(model, insert(model.prompt, text)), typedAtMs: model.nowMs };
}

/** Opens the prompt for typing, even in a list. */
export function openPromptWith(model: Model, text: string): Model {
  return { ...withPrompt(model, promptOf(text)), isPromptOpen: true };
}

/** Returns the prompt of the chat or list, also while a draft at a question takes its place. */
export function ownPrompt({ overlay, prompt }: Model): Prompt {
  const draft = overlay?.type === 'halt' ? overlay.draft : null;
  return draft === null || draft.type === 'grant' ? prompt : draft.kept;
}

/** Returns unsent texts to the prompt, before the text that was typed since. */
export function giveBack(model: Model, texts: readonly string[]): Model {
  const { overlay } = model;
  const own = ownPrompt(model);
  const text = [...texts, own.text].filter((each) => each !== '').join('\n');
  const prompt = { text, cursor: text.length - own.text.length + own.cursor };
  if (own === model.prompt) return { ...withPrompt(model, prompt), isPromptOpen: true };
  if (overlay?.type !== 'halt' || overlay.draft === null || overlay.draft.type === 'grant') return model;
  return { ...model, overlay: { ...overlay, draft: { ...overlay.draft, kept: prompt } } };
}

/** Returns a refused command to the prompt. Beside other text it would mean something else, so it is in the history. */
export function giveCommandBack(model: Model, command: string, why: string): Model {
  if (ownPrompt(model).text === '') return withFlash(giveBack(model, [command]), why, 'bad');
  return withFlash(model, `${why} (↑ brings ${command} back)`, 'bad');
}

/** Takes the text from the editor. Text that came into the prompt in the meantime, such as a refused message, stays. */
export function withEdited(model: Model, before: string, edited: Edited): Model {
  if ('trouble' in edited) return withFlash(model, edited.trouble, 'bad');
  const { text: now } = model.prompt;
  const text = now === before ? edited.text : [edited.text, now].filter((each) => each !== '').join('\n');
  return { ...withPrompt(model, promptOf(text)), typedAtMs: model.nowMs };
}

/** Closes the completions, then, in a list, the prompt. */
export function closePrompt(model: Model): Model {
  if (model.completion !== null) return { ...model, completion: null };
  if (model.view === 'chat') return model;
  return { ...model, prompt: emptyPrompt, isPromptOpen: false };
}
