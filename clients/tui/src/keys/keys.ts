import { isTerminal } from '@aish/contracts';
import { chosenGoal, type Model } from '../model.js';

/** Where keys go: the topmost thing on the screen has them. */
export type Place = 'empty prompt' | 'typing' | 'HALT' | 'question' | 'help';

export type Action =
  | 'quit'
  | 'interrupt'
  | 'cancelGoal'
  | 'startPrefix'
  | 'writeNorris'
  | 'submit'
  | 'previousGoal'
  | 'nextGoal'
  | 'pageUp'
  | 'pageDown'
  | 'toEnd'
  | 'toggleFold'
  | 'openHelp'
  | 'closeHelp'
  | 'helpUp'
  | 'helpDown'
  | 'openDecision'
  | 'proceed'
  | 'skip'
  | 'abort'
  | 'putAside'
  | 'haltUp'
  | 'haltDown'
  | 'confirm'
  | 'decline'
  | 'left'
  | 'right'
  | 'lineStart'
  | 'lineEnd'
  | 'eraseLeft'
  | 'eraseRight'
  | 'eraseWord'
  | 'eraseToStart'
  | 'eraseToEnd'
  | 'newLine';

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
const ALL: readonly Place[] = ['empty prompt', 'typing', 'HALT', 'question', 'help'];

const nothingWaits = (model: Model) => (model.decisions.length === 0 ? 'nothing waits for an answer' : undefined);
const nothingRuns = (model: Model) => {
  const goal = chosenGoal(model);
  if (goal === undefined) return 'no goal is chosen';
  return isTerminal(goal.state) ? `goal ${goal.number} has ended: ${goal.state}` : undefined;
};

/** Every key, once. update.ts carries out the actions; the help is made of this table. */
export const KEYS: readonly Binding[] = [
  { keys: ['enter'], places: ['typing'], does: 'start the goal, or run the :command', action: 'submit' },
  { keys: ['up'], places: ['empty prompt'], does: 'choose the goal above', action: 'previousGoal' },
  { keys: ['down'], places: ['empty prompt'], does: 'choose the goal below', action: 'nextGoal' },
  { keys: ['pageup'], places: PROMPT, does: 'scroll the timeline up', action: 'pageUp' },
  { keys: ['pagedown'], places: PROMPT, does: 'scroll the timeline down', action: 'pageDown' },
  { keys: ['end'], places: ['empty prompt'], does: 'follow the end of the timeline', action: 'toEnd' },
  { keys: ['ctrl-o'], places: PROMPT, does: 'show outputs whole, or folded again', action: 'toggleFold' },
  {
    keys: ['d'],
    places: ['empty prompt'],
    does: 'answer the decision that waits',
    action: 'openDecision',
    unavailable: nothingWaits,
  },
  {
    keys: ['ctrl-d'],
    places: PROMPT,
    does: 'the same, while there is text in the prompt',
    action: 'openDecision',
    unavailable: nothingWaits,
  },
  { keys: ['p'], places: ['HALT'], does: 'proceed: run the action', action: 'proceed' },
  { keys: ['s'], places: ['HALT'], does: 'skip: do not run it, the goal goes on', action: 'skip' },
  { keys: ['a'], places: ['HALT'], does: 'abort: end the goal', action: 'abort' },
  { keys: ['escape'], places: ['HALT'], does: 'put it aside; d brings it back', action: 'putAside' },
  { keys: ['ctrl-c'], places: ['HALT'], does: null, action: 'putAside' },
  { keys: ['pageup', 'up'], places: ['HALT'], does: 'scroll a long action up', action: 'haltUp' },
  { keys: ['pagedown', 'down'], places: ['HALT'], does: 'scroll a long action down', action: 'haltDown' },
  { keys: ['ctrl-n'], places: PROMPT, does: 'write a goal for Norris', action: 'writeNorris' },
  {
    keys: ['ctrl-x ctrl-c'],
    places: PROMPT,
    does: 'cancel the chosen goal (asks first)',
    action: 'cancelGoal',
    unavailable: nothingRuns,
  },
  { keys: ['ctrl-x'], places: PROMPT, does: null, action: 'startPrefix' },
  {
    keys: ['ctrl-c'],
    places: PROMPT,
    does: 'cancel the chosen goal (asks first); quit if it has ended',
    action: 'interrupt',
  },
  { keys: ['y', 'Y'], places: ['question'], does: null, action: 'confirm' },
  { keys: ['n', 'N', 'escape', 'enter', 'ctrl-c'], places: ['question'], does: null, action: 'decline' },
  { keys: ['?'], places: ['empty prompt'], does: 'this help', action: 'openHelp' },
  { keys: ['escape', '?', 'q', 'enter', 'ctrl-c'], places: ['help'], does: null, action: 'closeHelp' },
  { keys: ['pageup', 'up'], places: ['help'], does: null, action: 'helpUp' },
  { keys: ['pagedown', 'down'], places: ['help'], does: null, action: 'helpDown' },
  { keys: ['ctrl-q'], places: ALL, does: 'quit; goals go on without you', action: 'quit' },
  { keys: ['left', 'ctrl-b'], places: ['typing'], does: null, action: 'left' },
  { keys: ['right', 'ctrl-f'], places: ['typing'], does: null, action: 'right' },
  { keys: ['home', 'ctrl-a'], places: ['typing'], does: null, action: 'lineStart' },
  { keys: ['end', 'ctrl-e'], places: ['typing'], does: null, action: 'lineEnd' },
  { keys: ['backspace'], places: ['typing'], does: null, action: 'eraseLeft' },
  { keys: ['delete'], places: ['typing'], does: null, action: 'eraseRight' },
  { keys: ['ctrl-w'], places: ['typing'], does: 'erase the word before the cursor', action: 'eraseWord' },
  { keys: ['ctrl-u'], places: ['typing'], does: 'erase what is before the cursor', action: 'eraseToStart' },
  { keys: ['ctrl-k'], places: ['typing'], does: 'erase what is after the cursor', action: 'eraseToEnd' },
  { keys: ['ctrl-j', 'linefeed'], places: ['typing'], does: 'begin another line in the goal', action: 'newLine' },
];

/** Which keys count now. */
export function placeOf(model: Model): Place {
  switch (model.overlay?.type) {
    case 'halt':
      return 'HALT';
    case 'cancel':
      return 'question';
    case 'help':
      return 'help';
    case undefined:
      return model.prompt.text === '' ? 'empty prompt' : 'typing';
  }
}

/** What a key means here; `d` is only a key while there is something to answer, else a letter. */
export function bindingFor(model: Model, key: string): Binding | undefined {
  const place = placeOf(model);
  const name = model.hasPrefix ? `ctrl-x ${key}` : key;
  const binding = KEYS.find(({ keys, places }) => places.includes(place) && keys.includes(name));
  const isLetter = key.length === 1 && place === 'empty prompt' && key !== '?';
  return isLetter && binding?.unavailable?.(model) !== undefined ? undefined : binding;
}

/** `ctrl-x ctrl-c` as people write it: `Ctrl-X Ctrl-C` */
export function keyLabel(key: string): string {
  const named: Readonly<Record<string, string>> = { pageup: 'PgUp', pagedown: 'PgDn', escape: 'Esc' };
  return key
    .split(' ')
    .map((part) => named[part] ?? (part.length === 1 ? part : part.replaceAll(/(^|-)[a-z]/g, (at) => at.toUpperCase())))
    .join(' ');
}
