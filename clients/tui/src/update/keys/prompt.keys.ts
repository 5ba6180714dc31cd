import { just, type Binding, type Model, type Update } from '../../model.js';
import { complete } from '../completion.update.js';
import { submit } from '../meta.update.js';
import { closePrompt, openPromptWith, withPrompt } from '../prompt.update.js';
import { insert, moveLine, promptOf } from '../prompt.edit.js';
import { startSearch } from '../search.update.js';
import { EDITING, MAIN, PROMPT } from './places.js';

/** The keys for typed text before it is sent. */
export const PROMPT_KEYS: readonly Binding[] = [
  {
    action: 'submit',
    keys: ['enter'],
    places: ['typing'],
    help: 'send the message, or run the :command or !command',
    run: submit,
  },
  {
    action: 'newLine',
    keys: ['ctrl-j', 'alt-enter'],
    places: EDITING,
    help: 'start a new line',
    run: (model) => just(withPrompt(model, insert(model.prompt, '\n'))),
  },
  {
    action: 'writeInEditor',
    keys: ['ctrl-x ctrl-e'],
    places: EDITING,
    help: 'write in your editor ($VISUAL or $EDITOR)',
    run: (model) => ({ model, effects: [{ type: 'writeInEditor', text: model.prompt.text }] }),
  },
  {
    action: 'complete',
    keys: ['tab'],
    places: ['typing'],
    help: 'complete a :command, or @ and a file, host or goal',
    run: (model) => complete(model, 1),
  },
  {
    action: 'completeBack',
    keys: ['shift-tab'],
    places: ['typing'],
    help: null,
    run: (model) => complete(model, -1),
  },
  {
    action: 'searchHistory',
    keys: ['ctrl-r'],
    places: MAIN,
    help: 'search the input history',
    run: (model) => startSearch(model, 'history'),
  },
  {
    action: 'lineUp',
    keys: ['up'],
    places: PROMPT,
    help: 'the line above; in the first line the previous input',
    run: (model) => toLine(model, -1),
  },
  {
    action: 'lineDown',
    keys: ['down'],
    places: PROMPT,
    help: 'the line below, or the next input',
    run: (model) => toLine(model, 1),
  },
  {
    action: 'openPrompt',
    keys: [':'],
    places: ['list'],
    help: 'write a :command',
    run: (model) => just(openPromptWith(model, ':')),
  },
  {
    action: 'openCommand',
    keys: ['!'],
    places: ['list'],
    help: 'write a command of your own for the workspace',
    run: (model) => just(openPromptWith(model, '!')),
  },
  {
    action: 'closePrompt',
    keys: ['escape'],
    places: PROMPT,
    help: null,
    run: (model) => just(closePrompt(model)),
  },
];

function toLine(model: Model, by: 1 | -1): Update {
  if (model.completion !== null) return complete(model, by);
  const moved = moveLine(model.prompt, by);
  return just(moved === null ? browseHistory(model, by) : withPrompt(model, moved));
}

/** Shows the previous or next entry. After the newest entry comes the unsent text. */
function browseHistory(model: Model, by: 1 | -1): Model {
  const { entries, at, draft } = model.history;
  const here = at ?? entries.length;
  const next = here + by;
  if (next < 0 || next > entries.length) return model;
  const kept = at === null ? model.prompt.text : draft;
  const text = entries[next] ?? kept;
  return {
    ...model,
    prompt: promptOf(text),
    history: { entries, at: next === entries.length ? null : next, draft: kept },
  };
}
