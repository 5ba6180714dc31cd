import { chosenGoal, just, type Binding, type Model } from '../../model.js';
import { isPane } from '../../view-id.js';
import { resumeGoal } from '../goals.update.js';
import { openGrants } from '../grants.update.js';
import { actOnRow, chooseRow, copyRow, editRow, openRow } from '../list.update.js';
import { linkBack, nextLink } from '../panes.update.js';
import { openPromptWith } from '../prompt.update.js';
import { startSearch } from '../search.update.js';
import { foretellUndo } from '../undo.update.js';

const notInMemory = ({ view }: Model) => (view === 'memory' ? undefined : 'that is for the memory');
const notInKnowledge = ({ view }: Model) => (view === 'knowledge' ? undefined : 'that is for the knowledge base');
const notInGoals = (model: Model) =>
  model.view === 'goals' && chosenGoal(model) !== undefined ? undefined : 'that is for a goal';

/** The rows of a list, and what can be done to the chosen one. */
export const LIST_KEYS: readonly Binding[] = [
  {
    action: 'rowUp',
    keys: ['up', 'k'],
    places: ['list'],
    help: 'choose the one above',
    run: (model) => chooseRow(model, (at) => at - 1),
  },
  {
    action: 'rowDown',
    keys: ['down', 'j'],
    places: ['list'],
    help: 'choose the one below',
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
    help: 'let a paused goal go on; give one that ended more steps',
    run: resumeGoal,
    unavailable: notInGoals,
    isAnswer: true,
  },
  {
    action: 'openGrants',
    keys: ['t'],
    places: ['list'],
    help: 'what is granted in the goal, to be taken back',
    run: openGrants,
    unavailable: notInGoals,
  },
  {
    action: 'undoCommand',
    keys: ['u'],
    places: ['list'],
    help: 'take a command back: what would be lost is shown first',
    run: foretellUndo,
    unavailable: notInGoals,
  },
  {
    action: 'editRow',
    keys: ['e'],
    places: ['list'],
    help: 'put it in other words: a memory, or a proposal before it is accepted',
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
    help: 'back to the node before',
    run: linkBack,
    unavailable: notInKnowledge,
  },
  {
    action: 'acceptRow',
    keys: ['a'],
    places: ['list'],
    help: 'remember what is proposed',
    run: (model) => actOnRow(model, 'accept'),
    unavailable: notInMemory,
    isAnswer: true,
  },
  {
    action: 'removeRow',
    keys: ['x'],
    places: ['list'],
    help: 'drop a proposal, or forget (asks first)',
    run: (model) => actOnRow(model, 'remove'),
    unavailable: notInMemory,
    isAnswer: true,
  },
  {
    action: 'filter',
    keys: ['/'],
    places: ['list'],
    help: 'look for a text in the list, or in what a goal did',
    run: (model) => startSearch(model, isPane(model.view) ? 'filter' : 'find'),
  },
];
