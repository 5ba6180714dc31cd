import type { Action } from '../keys/actions.js';
import type { Prompt } from '../view-state.js';
import type { Model, Update } from '../model.js';
import {
  erase,
  eraseLeft,
  eraseRight,
  eraseWord,
  eraseWordRight,
  moveLeft,
  moveRight,
  moveToLineEdge,
  moveWordLeft,
  moveWordRight,
} from './prompt.edit.js';
import { eraseSearch } from './search.update.js';

const EDITS = {
  left: moveLeft,
  right: moveRight,
  wordLeft: moveWordLeft,
  wordRight: moveWordRight,
  lineStart: (prompt) => moveToLineEdge(prompt, 'start'),
  lineEnd: (prompt) => moveToLineEdge(prompt, 'end'),
  eraseLeft,
  eraseRight,
  eraseWord,
  eraseWordRight,
  eraseToStart: (prompt) => erase(prompt, moveToLineEdge(prompt, 'start').cursor, prompt.cursor),
  eraseToEnd: (prompt) => erase(prompt, prompt.cursor, moveToLineEdge(prompt, 'end').cursor),
} as const satisfies Partial<Record<Action, (prompt: Prompt) => Prompt>>;

type EditAction = keyof typeof EDITS;

export function isEdit(action: Action): action is EditAction {
  return action in EDITS;
}

/** Moves the cursor or erases, in the prompt or in what is searched for. */
export function editPrompt(model: Model, action: EditAction): Update {
  if (model.search !== null)
    return eraseSearch(model, action === 'eraseLeft' ? 'character' : action === 'eraseWord' ? 'word' : 'all');
  const prompt = EDITS[action](model.prompt);
  const isGone = prompt.text === '' && model.view !== 'chat';
  return { model: { ...model, prompt, completion: null, isPromptOpen: model.isPromptOpen && !isGone }, effects: [] };
}
