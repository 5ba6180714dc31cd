import { activeGoals, just, type Binding, type Model, type Update } from '../../model.js';
import { withEntry } from '../../history.js';
import { labelOf } from '../../keys/binding.js';
import { withFlash } from '../flash.js';
import { interruptGoal } from '../goals.update.js';
import { leaveGoal } from '../leave-goal.update.js';
import { beginGoal } from '../meta.update.js';
import { stopCommand } from '../own-command.update.js';
import { emptyPrompt } from '../prompt.edit.js';
import { closePrompt, giveBack } from '../prompt.update.js';
import { ALL, MAIN } from './places.js';

const nothingRuns = (model: Model) => (activeGoals(model).length === 0 ? 'Norris has no goal' : undefined);

/** Keys for Norris and for quitting. */
export const ANYWHERE_KEYS: readonly Binding[] = [
  {
    action: 'toggleNorris',
    keys: ['ctrl-n'],
    places: [...MAIN, 'HALT'],
    help: 'write a goal for Norris',
    run: beginGoal,
  },
  {
    action: 'abortNorris',
    keys: ['ctrl-x ctrl-c'],
    places: ALL,
    help: 'abort a goal of Norris (asks first)',
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
    help: 'stop what runs, clear the prompt or pause the goal; then quit',
    run: interrupt,
  },
  {
    action: 'quit',
    keys: ['ctrl-q'],
    places: ALL,
    help: 'quit; goals continue',
    run: (model) => ({ model, effects: [{ type: 'quit' }] }),
  },
  {
    action: 'redraw',
    keys: ['ctrl-l'],
    places: ALL,
    help: 'redraw the screen',
    run: (model) => ({ model, effects: [{ type: 'redraw' }] }),
  },
];

const QUIT_HINT = 'press Ctrl-C again to quit; goals continue';
/** Within this time the next Ctrl-C belongs to the one that stopped or cleared something. */
const STAGES_MS = 8_000;

/** Ctrl-C in three stages: it stops running work or clears the prompt, then says that the next one quits, then quits. */
function interrupt(model: Model): Update {
  if (model.flash?.text === QUIT_HINT) return { model, effects: [{ type: 'quit' }] };
  const { interruptedAtMs, nowMs } = model;
  const isAgain = interruptedAtMs !== null && nowMs - interruptedAtMs < STAGES_MS;
  const stopped = isAgain
    ? null
    : (stopCommand(model) ?? stopChat(model) ?? clearPrompt(model) ?? interruptGoal(model));
  if (stopped !== null) return { ...stopped, model: { ...stopped.model, interruptedAtMs: nowMs } };
  return just(withFlash({ ...model, interruptedAtMs: null }, QUIT_HINT, 'warn'));
}

function stopChat(model: Model): Update | null {
  const { chat } = model;
  if (model.view !== 'chat' || !chat.isBusy || chat.session === null) return null;
  // Queued messages go back into the prompt, where the person can send, edit or delete them.
  const kept: Model = { ...giveBack(model, chat.outbox), chat: { ...chat, outbox: [] } };
  return {
    model: withFlash(kept, 'stopping…', 'warn'),
    effects: [{ type: 'stopChat', sessionId: chat.session.id }],
  };
}

/** The text goes into the input history, so nothing is lost. */
function clearPrompt(model: Model): Update | null {
  const { text } = model.prompt;
  if (text === '' && !model.isPromptOpen) return null;
  const closed = closePrompt({ ...model, prompt: emptyPrompt });
  if (text === '') return just(closed);
  const { entries, at, draft } = model.history;
  const kept = at === null || draft === '' ? entries : withEntry(entries, draft);
  const history = { entries: withEntry(kept, text), at: null, draft: '' };
  // A waiting question opens over the free prompt, and there ↑ scrolls.
  const up = model.decisions.length > 0 ? 'Esc, then ↑ brings it back' : '↑ brings it back';
  const how = model.view === 'chat' ? up : `${labelOf(model, 'searchHistory')} finds it`;
  return just(withFlash({ ...closed, history }, `cleared; ${how}`, 'warn'));
}

/** Any other action after Ctrl-C begins again with the first stage. */
export function forgetInterrupt(model: Model): Model {
  const flash = model.flash?.text === QUIT_HINT ? null : model.flash;
  return flash === model.flash && model.interruptedAtMs === null ? model : { ...model, flash, interruptedAtMs: null };
}
