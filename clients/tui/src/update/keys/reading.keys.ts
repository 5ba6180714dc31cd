import { just, type Binding } from '../../model.js';
import { pageChanges, pageOutput } from '../output.update.js';
import { copyFrom, copyHandy } from '../copy.update.js';
import { scrollShown } from '../scroll.update.js';
import { startSearch } from '../search.update.js';
import { foretellUndo } from '../undo.update.js';
import { IDLE, MAIN, PROMPT } from './places.js';

/** What is shown at length. */
export const READING_KEYS: readonly Binding[] = [
  {
    action: 'pageUp',
    keys: ['pageup'],
    places: MAIN,
    help: 'scroll up; the wheel does, too',
    run: (model) => just(scrollShown(model, 'pageUp')),
  },
  {
    action: 'pageDown',
    keys: ['pagedown'],
    places: MAIN,
    help: 'scroll down',
    run: (model) => just(scrollShown(model, 'pageDown')),
  },
  {
    action: 'toStart',
    keys: ['ctrl-home'],
    places: MAIN,
    help: 'to its beginning',
    run: (model) => just(scrollShown(model, 'toStart')),
  },
  {
    action: 'toEnd',
    keys: ['ctrl-end', 'alt-e'],
    places: MAIN,
    help: 'to its end',
    run: (model) => just(scrollShown(model, 'toEnd')),
  },
  {
    action: 'toEnd',
    keys: ['end'],
    places: IDLE,
    help: null,
    run: (model) => just(scrollShown(model, 'toEnd')),
  },
  {
    action: 'toggleFold',
    keys: ['ctrl-o'],
    places: MAIN,
    help: 'show outputs and thoughts whole and what each step cost, or folded again',
    run: (model) => just({ ...scrollShown(model, 'toEnd'), isUnfolded: !model.isUnfolded }),
  },
  {
    action: 'pageOutput',
    keys: ['alt-o'],
    places: MAIN,
    help: 'the last output whole, on a page: / looks in it, u is the one before',
    run: pageOutput,
  },
  {
    action: 'pageOutput',
    keys: ['o'],
    places: ['list'],
    help: null,
    run: pageOutput,
  },
  {
    action: 'pageChanges',
    keys: ['alt-c'],
    places: MAIN,
    help: 'all files that the last command deleted, changed and created, on a page',
    run: pageChanges,
  },
  {
    action: 'undoCommand',
    keys: ['alt-u'],
    places: PROMPT,
    help: 'take a command of this chat back: what would be lost is shown first',
    run: foretellUndo,
  },
  {
    action: 'find',
    keys: ['ctrl-f'],
    places: MAIN,
    help: 'look for a text in what was said',
    run: (model) => startSearch(model, 'find'),
  },
  {
    action: 'copy',
    keys: ['ctrl-y'],
    places: MAIN,
    help: 'copy the last code of an answer, else the answer',
    run: (model) => (model.prompt.text === '' || model.view !== 'chat' ? copyHandy(model) : copyFrom(model, 'answer')),
  },
];
