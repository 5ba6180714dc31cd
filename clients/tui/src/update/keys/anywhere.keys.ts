import { activeGoal, just, type Binding, type Model } from '../../model.js';
import { askCancel } from '../goals.update.js';
import { interrupt } from '../interrupt.update.js';
import { toggleNorris } from '../meta.update.js';
import { ALL, MAIN } from './places.js';

const nothingRuns = (model: Model) => (activeGoal(model) === undefined ? 'Norris works on nothing' : undefined);

/** Norris, and the way out. */
export const ANYWHERE_KEYS: readonly Binding[] = [
  {
    action: 'toggleNorris',
    keys: ['ctrl-n'],
    places: MAIN,
    help: 'Norris: on with a goal, off when it works (asks first)',
    run: toggleNorris,
  },
  {
    action: 'abortNorris',
    keys: ['ctrl-x ctrl-c'],
    places: ALL,
    help: 'abort what Norris works on (asks first)',
    run: (model) => {
      const goal = activeGoal(model);
      return just(goal === undefined ? model : askCancel(model, goal));
    },
    unavailable: nothingRuns,
  },
  {
    action: 'startPrefix',
    keys: ['ctrl-x'],
    places: ALL,
    help: null,
    run: (model) => just({ ...model, hasPrefix: true }),
  },
  {
    action: 'interrupt',
    keys: ['ctrl-c'],
    places: MAIN,
    help: 'stop the answer; pause the goal; clear the prompt; twice: quit',
    run: interrupt,
  },
  {
    action: 'quit',
    keys: ['ctrl-q'],
    places: ALL,
    help: 'quit; goals go on without you',
    run: (model) => ({ model, effects: [{ type: 'quit' }] }),
  },
  {
    action: 'redraw',
    keys: ['ctrl-l'],
    places: ALL,
    help: 'draw the screen again',
    run: (model) => ({ model, effects: [{ type: 'redraw' }] }),
  },
];
