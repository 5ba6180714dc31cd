import { activeGoals, just, type Binding, type Model } from '../../model.js';
import { interrupt } from '../interrupt.update.js';
import { leaveGoal } from '../leave-goal.update.js';
import { beginGoal } from '../meta.update.js';
import { ALL, MAIN } from './places.js';

const nothingRuns = (model: Model) => (activeGoals(model).length === 0 ? 'Norris works on nothing' : undefined);

/** Norris, and the way out. */
export const ANYWHERE_KEYS: readonly Binding[] = [
  {
    action: 'toggleNorris',
    keys: ['ctrl-n'],
    places: MAIN,
    help: 'write a goal for Norris',
    run: beginGoal,
  },
  {
    action: 'abortNorris',
    keys: ['ctrl-x ctrl-c'],
    places: ALL,
    help: 'abort what Norris works on (asks first, and which)',
    run: (model) => leaveGoal({ ...model, overlay: null }, ''),
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
