import type { Model } from '../model.js';
import type { Prompt } from '../view-state.js';
import { emptyPrompt, insert, promptOf } from './prompt.edit.js';

/** The prompt with another text in it. */
export function withPrompt(model: Model, prompt: Prompt): Model {
  return { ...model, prompt, completion: null };
}

/** The prompt after text was typed into it. */
export function typed(model: Model, text: string): Model {
  return { ...withPrompt(model, insert(model.prompt, text)), typedAtMs: model.nowMs };
}

/** Gives the prompt the keys, also where a list has them. */
export function openPromptWith(model: Model, text: string): Model {
  return { ...withPrompt(model, promptOf(text)), isPromptOpen: true };
}

/** Takes the completions away, then, in a list, the prompt. */
export function closePrompt(model: Model): Model {
  if (model.completion !== null) return { ...model, completion: null };
  if (model.view === 'chat') return model;
  return { ...model, prompt: emptyPrompt, isPromptOpen: false };
}
