import type { Binding, Model, Update } from '../../model.js';
import { neighbourOf, type ViewId } from '../../view-id.js';
import { closeHalt } from '../decisions.update.js';
import { endDraft } from '../draft.update.js';
import { showView } from '../panes.update.js';
import { ANY_VIEW, IDLE } from './places.js';

const to =
  (view: ViewId) =>
  (model: Model): Update =>
    showView(leave(model), view);

/** Closes a HALT or a page, and answers a question with no. */
function leave(model: Model): Model {
  const free = endDraft(model).model;
  return free.overlay?.type === 'halt' ? closeHalt(free) : { ...free, overlay: null };
}

/** Leads from the help back to where it was opened, and inline from a list back to the chat. */
const closeView = (model: Model): Update => showView(model, model.view === 'help' ? model.helpFrom : 'chat');

const coversNothing = ({ view, isInline }: Model) => (view === 'help' || isInline ? undefined : 'F1 leads to the chat');

export const VIEW_KEYS: readonly Binding[] = [
  { action: 'chat', keys: ['f1', 'alt-1'], places: ANY_VIEW, help: 'chat', run: to('chat') },
  { action: 'goals', keys: ['f2', 'alt-2'], places: ANY_VIEW, help: 'goals', run: to('goals') },
  { action: 'decisions', keys: ['f3', 'alt-3'], places: ANY_VIEW, help: 'open decisions', run: to('decisions') },
  { action: 'memory', keys: ['f4', 'alt-4'], places: ANY_VIEW, help: 'memory', run: to('memory') },
  { action: 'knowledge', keys: ['f5', 'alt-5'], places: ANY_VIEW, help: 'knowledge', run: to('knowledge') },
  { action: 'sessions', keys: ['f6', 'alt-6'], places: ANY_VIEW, help: 'sessions', run: to('sessions') },
  { action: 'help', keys: ['f7', 'alt-7'], places: ANY_VIEW, help: null, run: to('help') },
  {
    action: 'help',
    keys: ['?'],
    places: IDLE,
    help: 'this help',
    run: (model) => (model.view === 'help' ? closeView(model) : to('help')(model)),
  },
  { action: 'closePage', keys: ['escape'], places: ['list'], help: null, run: closeView, unavailable: coversNothing },
  {
    action: 'nextView',
    keys: ['tab'],
    places: IDLE,
    help: 'the next view; in a list, 1 to 7 also select one',
    run: (model) => showView(model, neighbourOf(model.view, 1)),
  },
  {
    action: 'previousView',
    keys: ['shift-tab'],
    places: IDLE,
    help: null,
    run: (model) => showView(model, neighbourOf(model.view, -1)),
  },
  { action: 'chat', keys: ['1'], places: ['list'], help: null, run: to('chat') },
  { action: 'goals', keys: ['2'], places: ['list'], help: null, run: to('goals') },
  { action: 'decisions', keys: ['3'], places: ['list'], help: null, run: to('decisions') },
  { action: 'memory', keys: ['4'], places: ['list'], help: null, run: to('memory') },
  { action: 'knowledge', keys: ['5'], places: ['list'], help: null, run: to('knowledge') },
  { action: 'sessions', keys: ['6'], places: ['list'], help: null, run: to('sessions') },
  { action: 'help', keys: ['7'], places: ['list'], help: null, run: to('help') },
];
