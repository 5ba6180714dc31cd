import { just, type Binding } from '../../model.js';
import { pageChanges, pageOutput } from '../output.update.js';
import { copyFrom, copyHandy } from '../copy.update.js';
import { scrollShown } from '../scroll.update.js';
import { startSearch } from '../search.update.js';
import { previewUndo } from '../undo.update.js';
import { IDLE, MAIN, PROMPT } from './places.js';

export const READING_KEYS: readonly Binding[] = [
  {
    action: 'pageUp',
    keys: ['pageup'],
    places: MAIN,
    help: 'scroll up (also the mouse wheel)',
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
    help: 'to the beginning',
    run: (model) => just(scrollShown(model, 'toStart')),
  },
  {
    action: 'toEnd',
    keys: ['ctrl-end', 'alt-e'],
    places: MAIN,
    help: 'to the end',
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
    help: 'unfold outputs, thoughts and costs, or fold them again',
    run: (model) => just({ ...scrollShown(model, 'toEnd'), isUnfolded: !model.isUnfolded }),
  },
  {
    action: 'pageOutput',
    keys: ['alt-o'],
    places: MAIN,
    help: 'the last output on a page: / searches, u shows the previous one',
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
    help: 'all file changes of the last command, on a page',
    run: pageChanges,
  },
  {
    action: 'undoCommand',
    keys: ['alt-u'],
    places: PROMPT,
    help: 'undo a command of this chat; first shows what would be lost',
    run: previewUndo,
  },
  {
    action: 'find',
    keys: ['ctrl-f'],
    places: MAIN,
    help: 'search the history',
    run: (model) => startSearch(model, 'find'),
  },
  {
    action: 'copy',
    keys: ['ctrl-y'],
    places: MAIN,
    help: 'copy the last code block of an answer, else the answer',
    run: (model) => (model.prompt.text === '' || model.view !== 'chat' ? copyHandy(model) : copyFrom(model, 'answer')),
  },
];
