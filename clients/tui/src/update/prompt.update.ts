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
