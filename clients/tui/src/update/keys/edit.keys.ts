import type { Binding, Model, Update } from '../../model.js';
import type { Prompt } from '../../view-state.js';
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
} from '../prompt.edit.js';
import { withPrompt } from '../prompt.update.js';
import { EDITING, WRITING } from './places.js';

/** Returns a handler that moves the cursor or deletes. In a list, deleting the last character closes the prompt. */
const edit =
  (change: (prompt: Prompt) => Prompt) =>
  (model: Model): Update => {
    const edited = withPrompt(model, change(model.prompt));
    const isGone = edited.prompt.text === '' && model.view !== 'chat';
    return {
      model: { ...edited, typedAtMs: model.nowMs, isPromptOpen: model.isPromptOpen && !isGone },
      effects: [],
    };
  };

const toLineStart = (prompt: Prompt): Prompt => moveToLineEdge(prompt, 'start');
const toLineEnd = (prompt: Prompt): Prompt => moveToLineEdge(prompt, 'end');

/** The keys of Emacs and readline for typed text. */
export const EDIT_KEYS: readonly Binding[] = [
  { action: 'left', keys: ['left', 'ctrl-b'], places: EDITING, help: null, run: edit(moveLeft) },
  { action: 'right', keys: ['right'], places: EDITING, help: null, run: edit(moveRight) },
  {
    action: 'wordLeft',
    keys: ['alt-b', 'ctrl-left', 'alt-left'],
    places: EDITING,
    help: null,
    run: edit(moveWordLeft),
  },
  {
    action: 'wordRight',
    keys: ['alt-f', 'ctrl-right', 'alt-right'],
    places: EDITING,
    help: null,
    run: edit(moveWordRight),
  },
  { action: 'lineStart', keys: ['home', 'ctrl-a'], places: WRITING, help: null, run: edit(toLineStart) },
  { action: 'lineEnd', keys: ['end', 'ctrl-e'], places: WRITING, help: null, run: edit(toLineEnd) },
  { action: 'eraseLeft', keys: ['backspace'], places: WRITING, help: null, run: edit(eraseLeft) },
  { action: 'eraseRight', keys: ['delete'], places: WRITING, help: null, run: edit(eraseRight) },
  {
    action: 'eraseWord',
    keys: ['ctrl-w', 'alt-backspace'],
    places: WRITING,
    help: 'delete the word before the cursor',
    run: edit(eraseWord),
  },
  { action: 'eraseWordRight', keys: ['alt-d'], places: WRITING, help: null, run: edit(eraseWordRight) },
  {
    action: 'eraseToStart',
    keys: ['ctrl-u'],
    places: WRITING,
    help: 'delete everything before the cursor',
    run: edit((prompt) => erase(prompt, toLineStart(prompt).cursor, prompt.cursor)),
  },
  {
    action: 'eraseToEnd',
    keys: ['ctrl-k'],
    places: WRITING,
    help: 'delete everything after the cursor',
    run: edit((prompt) => erase(prompt, prompt.cursor, toLineEnd(prompt).cursor)),
  },
];
