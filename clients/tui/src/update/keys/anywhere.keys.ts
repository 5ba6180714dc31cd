import { activeGoals, just, type Binding, type Model, type Update } from '../../model.js';
import { withFlash } from '../flash.js';
import { interruptGoal } from '../goals.update.js';
import { leaveGoal } from '../leave-goal.update.js';
import { beginGoal } from '../meta.update.js';
import { emptyPrompt, promptOf } from '../prompt.edit.js';
import { closePrompt } from '../prompt.update.js';
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

const QUIT_HINT = 'Ctrl-C again quits; goals go on without you';

/** Ctrl-C: what runs ends first, then what is typed goes, and only then the program. */
function interrupt(model: Model): Update {
  const { chat } = model;
  if (model.view === 'chat' && chat.isBusy && chat.session !== null) {
    // What waits was to be said after the answer: it can be sent, changed or dropped from the prompt.
    const texts = [...chat.outbox, model.prompt.text].filter((text) => text !== '');
    const kept: Model = { ...model, prompt: promptOf(texts.join('\n')), chat: { ...chat, outbox: [] } };
    return {
      model: withFlash(kept, 'stopping…', 'warn'),
      effects: [{ type: 'stopChat', sessionId: chat.session.id }],
    };
  }
  if (model.prompt.text !== '' || model.isPromptOpen) return just(closePrompt({ ...model, prompt: emptyPrompt }));
  const paused = interruptGoal(model);
  if (paused !== null) return paused;
  if (model.flash?.text === QUIT_HINT) return { model, effects: [{ type: 'quit' }] };
  return just(withFlash(model, QUIT_HINT, 'warn'));
}

/** Any other action after Ctrl-C means that the person does not want to quit. */
export function forgetQuit(model: Model): Model {
  return model.flash?.text === QUIT_HINT ? { ...model, flash: null } : model;
}
