import { chosenGoal, just, type Binding, type Model } from '../../model.js';
import { isPane } from '../../view-id.js';
import { resumeGoal } from '../goals.update.js';
import { openGrants } from '../grants.update.js';
import { actOnRow, chooseRow, copyRow, editRow, openRow } from '../list.update.js';
import { linkBack, nextLink } from '../panes.update.js';
import { openPromptWith } from '../prompt.update.js';
import { startSearch } from '../search.update.js';
import { previewUndo } from '../undo.update.js';

const notInMemory = ({ view }: Model) => (view === 'memory' ? undefined : 'only in the memory');
const notInKnowledge = ({ view }: Model) => (view === 'knowledge' ? undefined : 'only in the knowledge base');
const notInGoals = (model: Model) =>
  model.view === 'goals' && chosenGoal(model) !== undefined ? undefined : 'only for a goal';

/** The keys for the rows of a list, and for actions on the selected row. */
export const LIST_KEYS: readonly Binding[] = [
  {
    action: 'rowUp',
    keys: ['up', 'k'],
    places: ['list'],
    help: 'select the row above',
    run: (model) => chooseRow(model, (at) => at - 1),
  },
  {
    action: 'rowDown',
    keys: ['down', 'j'],
    places: ['list'],
    help: 'select the row below',
    run: (model) => chooseRow(model, (at) => at + 1),
  },
  {
    action: 'firstRow',
    keys: ['home', 'g'],
    places: ['list'],
    help: null,
    run: (model) => chooseRow(model, () => 0),
  },
  {
    action: 'lastRow',
    keys: ['G'],
    places: ['list'],
    help: null,
    run: (model) => chooseRow(model, (_, last) => last),
  },
  { action: 'openRow', keys: ['enter'], places: ['list'], help: 'open it', run: openRow },
  {
    action: 'newGoal',
    keys: ['n'],
    places: ['list'],
    help: 'write a goal for Norris',
    run: (model) => just(openPromptWith(model, ':norris ')),
    isAnswer: true,
  },
  { action: 'copyRow', keys: ['y'], places: ['list'], help: 'copy it', run: copyRow },
  {
    action: 'resumeRow',
    keys: ['r'],
    places: ['list'],
    help: 'resume a paused goal; give an ended goal more steps',
    run: resumeGoal,
    unavailable: notInGoals,
    isAnswer: true,
  },
  {
    action: 'openGrants',
    keys: ['t'],
    places: ['list'],
    help: 'list and remove the grants of the goal',
    run: openGrants,
    unavailable: notInGoals,
  },
  {
    action: 'undoCommand',
    keys: ['u'],
    places: ['list'],
    help: 'undo a command; first shows what would be lost',
    run: previewUndo,
    unavailable: notInGoals,
  },
  {
    action: 'editRow',
    keys: ['e'],
    places: ['list'],
    help: 'edit a memory or a proposal',
    run: editRow,
    unavailable: notInMemory,
    isAnswer: true,
  },
  {
    action: 'nextLink',
    keys: ['l', 'right'],
    places: ['list'],
    help: 'the next link of the node; Enter follows it',
    run: (model) => just(nextLink(model)),
    unavailable: notInKnowledge,
  },
  {
    action: 'linkBack',
    keys: ['h', 'left', 'backspace'],
    places: ['list'],
    help: 'back to the previous node',
    run: linkBack,
    unavailable: notInKnowledge,
  },
  {
    action: 'acceptRow',
    keys: ['a'],
    places: ['list'],
    help: 'accept a proposal',
    run: (model) => actOnRow(model, 'accept'),
    unavailable: notInMemory,
    isAnswer: true,
  },
  {
    action: 'removeRow',
    keys: ['x'],
    places: ['list'],
    help: 'reject a proposal, or forget an item (asks first)',
    run: (model) => actOnRow(model, 'remove'),
    unavailable: notInMemory,
    isAnswer: true,
  },
  {
    action: 'filter',
    keys: ['/'],
    places: ['list'],
    help: 'search the list, or what a goal did',
    run: (model) => startSearch(model, isPane(model.view) ? 'filter' : 'find'),
  },
];
