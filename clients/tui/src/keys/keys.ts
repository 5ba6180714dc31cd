import { canEdit, canGrant } from '../format/decision.format.js';
import { isChosen } from '../form/fields.js';
import { chosenGoal, type HaltDialog, type Model } from '../model.js';
import type { Action, KeyMap } from './actions.js';
import { activeGoal } from '../update/goals.update.js';

/** Where keys go: the topmost thing on the screen has them. */
export type Place =
  | 'empty prompt'
  | 'typing'
  | 'list'
  | 'HALT'
  /** Another command is written, or a field of a form. */
  | 'HALT edit'
  /** A field of a form that is chosen from, or the line that sends it. */
  | 'HALT choice'
  | 'HALT grant'
  | 'grants'
  | 'question'
  | 'page'
  | 'search';

export interface Binding {
  /** Names of keys; two with a space between are pressed one after the other. */
  readonly keys: readonly string[];
  readonly places: readonly Place[];
  /** For the help; null keeps it out (obvious, or a second way). */
  readonly does: string | null;
  readonly action: Action;
  /** Why it cannot be used right now, for the person; undefined when it can. */
  readonly unavailable?: (model: Model) => string | undefined;
}

const PROMPT: readonly Place[] = ['empty prompt', 'typing'];
const EDITING: readonly Place[] = ['empty prompt', 'typing', 'HALT edit'];
const WRITING: readonly Place[] = ['typing', 'HALT edit'];
const FORM: readonly Place[] = ['HALT edit', 'HALT choice'];
const MAIN: readonly Place[] = ['empty prompt', 'typing', 'list'];
const IDLE: readonly Place[] = ['empty prompt', 'list'];
const ALL: readonly Place[] = [
  'empty prompt',
  'typing',
  'list',
  'HALT',
  'HALT edit',
  'HALT choice',
  'HALT grant',
  'grants',
  'question',
  'page',
  'search',
];

const nothingWaits = (model: Model) => (model.decisions.length === 0 ? 'nothing waits for an answer' : undefined);
const nothingRuns = (model: Model) => (activeGoal(model) === undefined ? 'Norris works on nothing' : undefined);
const noCommand = (model: Model) =>
  model.overlay?.type === 'halt' && model.overlay.decision.actionId === null ? 'this changes no files' : undefined;
const notInMemory = (model: Model) => (model.view === 'memory' ? undefined : 'that is for the memory');
const noEdit = (model: Model) =>
  model.overlay?.type === 'halt' && !canEdit(model.overlay.decision)
    ? 'edit is for goals: skip it and say what else you want'
    : undefined;
const noGrant = (model: Model) =>
  model.overlay?.type === 'halt' && !canGrant(model.overlay.decision) ? 'grants are for HALTs of goals' : undefined;
const noRuleToGrant = (model: Model) =>
  model.overlay?.type === 'halt' && (model.overlay.decision.classification?.ruleId ?? null) === null
    ? 'no rule stopped it: c grants the command'
    : undefined;
const notInGoals = (model: Model) =>
  model.view === 'goals' && chosenGoal(model) !== undefined ? undefined : 'that is for a goal';
const notInKnowledge = (model: Model) => (model.view === 'knowledge' ? undefined : 'that is for the knowledge base');
const noRule = (model: Model) =>
  model.overlay?.type === 'halt' && model.overlay.decision.classification === null
    ? 'no rule was asked about this'
    : undefined;

/** Every key, once. keys.update.ts carries out the actions; the help is made of this table. */
export const KEYS: readonly Binding[] = [
  { keys: ['f1', 'alt-1'], places: MAIN, does: 'chat', action: 'chat' },
  { keys: ['f2', 'alt-2'], places: MAIN, does: 'goals', action: 'goals' },
  { keys: ['f3', 'alt-3'], places: MAIN, does: 'decisions that wait', action: 'decisions' },
  { keys: ['f4', 'alt-4'], places: MAIN, does: 'memory', action: 'memory' },
  { keys: ['f5', 'alt-5'], places: MAIN, does: 'knowledge', action: 'knowledge' },
  { keys: ['f6', 'alt-6'], places: MAIN, does: 'sessions', action: 'sessions' },
  { keys: ['f7', 'alt-7'], places: MAIN, does: null, action: 'help' },
  { keys: ['?'], places: IDLE, does: 'this help', action: 'help' },
  { keys: ['tab'], places: IDLE, does: 'the next view; in a list 1 to 7 choose one, too', action: 'nextView' },
  { keys: ['shift-tab'], places: IDLE, does: null, action: 'previousView' },
  { keys: ['1'], places: ['list'], does: null, action: 'chat' },
  { keys: ['2'], places: ['list'], does: null, action: 'goals' },
  { keys: ['3'], places: ['list'], does: null, action: 'decisions' },
  { keys: ['4'], places: ['list'], does: null, action: 'memory' },
  { keys: ['5'], places: ['list'], does: null, action: 'knowledge' },
  { keys: ['6'], places: ['list'], does: null, action: 'sessions' },
  { keys: ['7'], places: ['list'], does: null, action: 'help' },

  { keys: ['enter'], places: ['typing'], does: 'send the message, or run the :command', action: 'submit' },
  { keys: ['ctrl-j', 'alt-enter'], places: EDITING, does: 'begin another line', action: 'newLine' },
  { keys: ['tab'], places: ['typing'], does: 'complete a :command', action: 'complete' },
  { keys: ['shift-tab'], places: ['typing'], does: null, action: 'completeBack' },
  { keys: ['ctrl-r'], places: MAIN, does: 'look through what was typed before', action: 'searchHistory' },
  { keys: ['up'], places: PROMPT, does: 'the line above; in the first one what was sent before', action: 'lineUp' },
  { keys: ['down'], places: PROMPT, does: 'the line below, and back', action: 'lineDown' },
  { keys: [':'], places: ['list'], does: 'write a :command', action: 'openPrompt' },
  { keys: ['escape'], places: PROMPT, does: null, action: 'closePrompt' },

  { keys: ['up', 'k'], places: ['list'], does: 'choose the one above', action: 'rowUp' },
  { keys: ['down', 'j'], places: ['list'], does: 'choose the one below', action: 'rowDown' },
  { keys: ['home', 'g'], places: ['list'], does: null, action: 'firstRow' },
  { keys: ['G'], places: ['list'], does: null, action: 'lastRow' },
  { keys: ['enter'], places: ['list'], does: 'open it', action: 'openRow' },
  { keys: ['n'], places: ['list'], does: 'write a goal for Norris', action: 'newGoal' },
  { keys: ['y'], places: ['list'], does: 'copy it', action: 'copyRow' },
  {
    keys: ['r'],
    places: ['list'],
    does: 'let a paused goal go on; give one that ended more steps',
    action: 'resumeRow',
    unavailable: notInGoals,
  },
  {
    keys: ['t'],
    places: ['list'],
    does: 'what is granted in the goal, to be taken back',
    action: 'openGrants',
    unavailable: notInGoals,
  },
  {
    keys: ['e'],
    places: ['list'],
    does: 'put it in other words: a memory, or a proposal before it is accepted',
    action: 'editRow',
    unavailable: notInMemory,
  },
  {
    keys: ['l', 'right'],
    places: ['list'],
    does: 'the next link of the node; Enter follows it',
    action: 'nextLink',
    unavailable: notInKnowledge,
  },
  {
    keys: ['h', 'left', 'backspace'],
    places: ['list'],
    does: 'back to the node before',
    action: 'linkBack',
    unavailable: notInKnowledge,
  },
  { keys: ['a'], places: ['list'], does: 'remember what is proposed', action: 'acceptRow', unavailable: notInMemory },
  {
    keys: ['x'],
    places: ['list'],
    does: 'drop a proposal, or forget (asks first)',
    action: 'removeRow',
    unavailable: notInMemory,
  },
  { keys: ['/'], places: ['list'], does: 'look for a text in the list, or in what a goal did', action: 'filter' },

  { keys: ['pageup'], places: MAIN, does: 'scroll up; the wheel does, too', action: 'pageUp' },
  { keys: ['pagedown'], places: MAIN, does: 'scroll down', action: 'pageDown' },
  { keys: ['ctrl-home'], places: MAIN, does: 'to its beginning', action: 'toStart' },
  { keys: ['ctrl-end', 'alt-e'], places: MAIN, does: 'to its end', action: 'toEnd' },
  { keys: ['end'], places: IDLE, does: null, action: 'toEnd' },
  { keys: ['ctrl-o'], places: MAIN, does: 'show outputs and thoughts whole, or folded again', action: 'toggleFold' },
  { keys: ['ctrl-f'], places: MAIN, does: 'look for a text in what was said', action: 'find' },
  { keys: ['ctrl-y'], places: MAIN, does: 'copy the last code of an answer, else the answer', action: 'copy' },

  {
    keys: ['d'],
    places: ['list'],
    does: 'answer the decision that waits',
    action: 'openDecision',
    unavailable: nothingWaits,
  },
  {
    keys: ['ctrl-d'],
    places: PROMPT,
    does: 'the same, from the prompt',
    action: 'openDecision',
    unavailable: nothingWaits,
  },
  { keys: ['p'], places: ['HALT'], does: 'proceed: run the action', action: 'proceed' },
  { keys: ['s'], places: ['HALT'], does: 'skip: do not run it, go on without it', action: 'skip' },
  { keys: ['a'], places: ['HALT'], does: 'abort: end the goal, or the exchange', action: 'abort' },
  { keys: ['?'], places: ['HALT'], does: 'explain: what the rule says', action: 'explain', unavailable: noRule },
  {
    keys: ['v'],
    places: ['HALT'],
    does: 'preview: try it on a copy and show what it would change',
    action: 'preview',
    unavailable: noCommand,
  },
  {
    keys: ['e'],
    places: ['HALT'],
    does: 'edit: run something else, which is judged anew',
    action: 'editAction',
    unavailable: noEdit,
  },
  {
    keys: ['g'],
    places: ['HALT'],
    does: 'grant: proceed, and do not ask about the same again in this goal',
    action: 'grantAction',
    unavailable: noGrant,
  },
  { keys: ['c'], places: ['HALT grant'], does: null, action: 'grantCommand' },
  { keys: ['r'], places: ['HALT grant'], does: null, action: 'grantRule', unavailable: noRuleToGrant },
  { keys: ['escape', 'ctrl-c'], places: ['HALT edit', 'HALT choice', 'HALT grant'], does: null, action: 'endDraft' },
  { keys: ['enter'], places: FORM, does: null, action: 'enterField' },
  { keys: ['tab', 'down'], places: FORM, does: null, action: 'nextField' },
  { keys: ['shift-tab', 'up'], places: FORM, does: null, action: 'previousField' },
  { keys: ['right', ' '], places: ['HALT choice'], does: null, action: 'nextChoice' },
  { keys: ['left'], places: ['HALT choice'], does: null, action: 'previousChoice' },
  { keys: ['up', 'k'], places: ['grants'], does: null, action: 'grantUp' },
  { keys: ['down', 'j'], places: ['grants'], does: null, action: 'grantDown' },
  { keys: ['x'], places: ['grants'], does: null, action: 'revokeGrant' },
  { keys: ['tab'], places: ['HALT'], does: 'the next decision that waits', action: 'nextDecision' },
  { keys: ['escape', 'ctrl-c'], places: ['HALT'], does: 'put it aside; Ctrl-D brings it back', action: 'putAside' },
  { keys: ['pageup', 'up'], places: ['HALT'], does: 'scroll a long action up', action: 'haltUp' },
  { keys: ['pagedown', 'down'], places: ['HALT'], does: 'scroll a long action down', action: 'haltDown' },

  {
    keys: ['ctrl-n'],
    places: MAIN,
    does: 'Norris: on with a goal, off when it works (asks first)',
    action: 'toggleNorris',
  },
  {
    keys: ['ctrl-x ctrl-c'],
    places: ALL,
    does: 'abort what Norris works on (asks first)',
    action: 'abortNorris',
    unavailable: nothingRuns,
  },
  { keys: ['ctrl-x'], places: ALL, does: null, action: 'startPrefix' },
  {
    keys: ['ctrl-c'],
    places: MAIN,
    does: 'stop the answer; pause the goal; clear the prompt; twice: quit',
    action: 'interrupt',
  },
  { keys: ['ctrl-q'], places: ALL, does: 'quit; goals go on without you', action: 'quit' },
  { keys: ['ctrl-l'], places: ALL, does: 'draw the screen again', action: 'redraw' },

  { keys: ['y', 'Y'], places: ['question'], does: null, action: 'confirm' },
  { keys: ['n', 'N', 'escape', 'enter', 'ctrl-c'], places: ['question'], does: null, action: 'decline' },
  { keys: ['escape', '?', 'q', 'enter', 'ctrl-c'], places: ['page', 'grants'], does: null, action: 'closePage' },
  { keys: ['y'], places: ['page'], does: null, action: 'confirmPage' },
  { keys: ['pageup', 'up', 'k'], places: ['page'], does: null, action: 'pageUpLine' },
  { keys: ['pagedown', 'down', 'j', ' '], places: ['page'], does: null, action: 'pageDownLine' },
  { keys: ['escape', 'ctrl-c', 'ctrl-g'], places: ['search'], does: null, action: 'endSearch' },
  { keys: ['enter'], places: ['search'], does: null, action: 'acceptSearch' },
  { keys: ['up', 'ctrl-r', 'ctrl-p'], places: ['search'], does: null, action: 'findOlder' },
  { keys: ['down', 'ctrl-s', 'ctrl-n'], places: ['search'], does: null, action: 'findNewer' },
  { keys: ['pageup'], places: ['search'], does: null, action: 'pageUp' },
  { keys: ['pagedown'], places: ['search'], does: null, action: 'pageDown' },

  { keys: ['left', 'ctrl-b'], places: EDITING, does: null, action: 'left' },
  { keys: ['right'], places: EDITING, does: null, action: 'right' },
  { keys: ['alt-b', 'ctrl-left', 'alt-left'], places: EDITING, does: null, action: 'wordLeft' },
  { keys: ['alt-f', 'ctrl-right', 'alt-right'], places: EDITING, does: null, action: 'wordRight' },
  { keys: ['home', 'ctrl-a'], places: WRITING, does: null, action: 'lineStart' },
  { keys: ['end', 'ctrl-e'], places: WRITING, does: null, action: 'lineEnd' },
  { keys: ['backspace'], places: [...WRITING, 'search'], does: null, action: 'eraseLeft' },
  { keys: ['delete'], places: WRITING, does: null, action: 'eraseRight' },
  {
    keys: ['ctrl-w', 'alt-backspace'],
    places: [...WRITING, 'search'],
    does: 'erase the word before the cursor',
    action: 'eraseWord',
  },
  { keys: ['alt-d'], places: WRITING, does: null, action: 'eraseWordRight' },
  { keys: ['ctrl-u'], places: [...WRITING, 'search'], does: 'erase what is before the cursor', action: 'eraseToStart' },
  { keys: ['ctrl-k'], places: WRITING, does: 'erase what is after the cursor', action: 'eraseToEnd' },
];

/** The keys of a binding, those of the configuration first of all. */
export function keysOf({ action, keys }: Pick<Binding, 'action' | 'keys'>, keyMap: KeyMap): readonly string[] {
  return keyMap[action] ?? keys;
}

/** Which keys count now. */
export function placeOf(model: Model): Place {
  switch (model.overlay?.type) {
    case 'halt':
      return placeInDialog(model.overlay);
    case 'grants':
      return 'grants';
    case 'question':
      return 'question';
    case 'page':
      return 'page';
    case undefined:
      break;
  }
  if (model.search !== null) return 'search';
  if (model.view !== 'chat' && !model.isPromptOpen) return 'list';
  return model.prompt.text === '' ? 'empty prompt' : 'typing';
}

function placeInDialog({ draft }: HaltDialog): Place {
  switch (draft?.type) {
    case undefined:
      return 'HALT';
    case 'grant':
      return 'HALT grant';
    case 'edit':
      return 'HALT edit';
    case 'form': {
      const field = draft.fields[draft.at];
      return field === undefined || isChosen(field) ? 'HALT choice' : 'HALT edit';
    }
  }
}

/** What a key means here. */
export function bindingFor(model: Model, key: string): Binding | undefined {
  const place = placeOf(model);
  const name = model.hasPrefix ? `ctrl-x ${key}` : key;
  return KEYS.find((binding) => binding.places.includes(place) && keysOf(binding, model.keyMap).includes(name));
}

/** `ctrl-x ctrl-c` as people write it: `Ctrl-X Ctrl-C` */
export function keyLabel(key: string): string {
  const named: Readonly<Record<string, string>> = {
    pageup: 'PgUp',
    pagedown: 'PgDn',
    escape: 'Esc',
    up: '↑',
    down: '↓',
  };
  return key
    .split(' ')
    .map((part) => named[part] ?? (part.length === 1 ? part : part.replaceAll(/(^|-)[a-z]/g, (at) => at.toUpperCase())))
    .join(' ');
}
