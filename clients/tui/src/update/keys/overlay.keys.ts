import { just, type Binding, type Model, type Update } from '../../model.js';
import { isTypingOn } from '../lone-key.update.js';
import { submit } from '../meta.update.js';
import { moveGrant, revokeGrant } from '../grants.update.js';
import { findInPage, pageRows, scrollPage } from '../long-page.update.js';
import { acceptSearch, endSearch, eraseSearch, searchOn, startSearch } from '../search.update.js';
import { previewOlderUndo } from '../undo.update.js';
import { scrollShown } from '../scroll.update.js';

/** Carries out the effect of y for a question or a plan. */
function confirm(model: Model): Update {
  const { overlay } = model;
  const yes = overlay?.type === 'question' || overlay?.type === 'page' ? overlay.yes : null;
  return yes === null ? just(model) : { model: { ...model, overlay: null }, effects: [yes] };
}

const close = (model: Model): Update => just({ ...model, overlay: null });

/** Handles Enter: sends the text that was being typed when a page appeared, or else closes the page. */
function sendOrClose(model: Model): Update {
  const free: Model = { ...model, overlay: null };
  return model.overlay?.type === 'page' && isTypingOn(model) ? submit(free) : just(free);
}

/** The keys for questions, pages, grants and search. */
export const OVERLAY_KEYS: readonly Binding[] = [
  { action: 'confirm', keys: ['y', 'Y'], places: ['question'], help: null, run: confirm, isAnswer: true },
  {
    action: 'decline',
    keys: ['n', 'N', 'escape', 'enter', 'ctrl-c'],
    places: ['question'],
    help: null,
    run: close,
  },
  {
    action: 'closePage',
    keys: ['escape', 'ctrl-c'],
    places: ['page', 'grants'],
    help: null,
    run: close,
  },
  { action: 'closePage', keys: ['?', 'q'], places: ['page', 'grants'], help: null, run: close, isAnswer: true },
  { action: 'closePage', keys: ['enter'], places: ['page', 'grants'], help: null, run: sendOrClose },
  { action: 'confirmPage', keys: ['y'], places: ['page'], help: null, run: confirm, isAnswer: true },
  { action: 'undoCommand', keys: ['u'], places: ['page'], help: null, run: previewOlderUndo },
  {
    action: 'pageUpLine',
    keys: ['up', 'k'],
    places: ['page'],
    help: null,
    run: (model) => scrollPage(model, -1),
  },
  {
    action: 'pageDownLine',
    keys: ['down', 'j'],
    places: ['page'],
    help: null,
    run: (model) => scrollPage(model, 1),
  },
  {
    action: 'pageUp',
    keys: ['pageup'],
    places: ['page'],
    help: null,
    run: (model) => scrollPage(model, 1 - pageRows(model)),
  },
  {
    action: 'pageDown',
    keys: ['pagedown', ' '],
    places: ['page'],
    help: null,
    run: (model) => scrollPage(model, pageRows(model) - 1),
  },
  {
    action: 'toStart',
    keys: ['home', 'g'],
    places: ['page'],
    help: null,
    run: (model) => scrollPage(model, Number.NEGATIVE_INFINITY),
  },
  {
    action: 'toEnd',
    keys: ['end', 'G'],
    places: ['page'],
    help: null,
    run: (model) => scrollPage(model, Number.POSITIVE_INFINITY),
  },
  {
    action: 'find',
    keys: ['/', 'ctrl-f'],
    places: ['page'],
    help: null,
    run: (model) => startSearch(model, 'page'),
  },
  { action: 'findNewer', keys: ['n'], places: ['page'], help: null, run: (model) => findInPage(model, 1) },
  { action: 'findOlder', keys: ['N'], places: ['page'], help: null, run: (model) => findInPage(model, -1) },

  { action: 'grantUp', keys: ['up', 'k'], places: ['grants'], help: null, run: (model) => moveGrant(model, -1) },
  { action: 'grantDown', keys: ['down', 'j'], places: ['grants'], help: null, run: (model) => moveGrant(model, 1) },
  { action: 'revokeGrant', keys: ['x'], places: ['grants'], help: null, run: revokeGrant, isAnswer: true },

  { action: 'endSearch', keys: ['escape', 'ctrl-c', 'ctrl-g'], places: ['search'], help: null, run: endSearch },
  { action: 'acceptSearch', keys: ['enter'], places: ['search'], help: null, run: acceptSearch },
  {
    action: 'findOlder',
    keys: ['up', 'ctrl-r', 'ctrl-p'],
    places: ['search'],
    help: null,
    run: (model) => searchOn(model, 1),
  },
  {
    action: 'findNewer',
    keys: ['down', 'ctrl-s', 'ctrl-n'],
    places: ['search'],
    help: null,
    run: (model) => searchOn(model, -1),
  },
  {
    action: 'pageUp',
    keys: ['pageup'],
    places: ['search'],
    help: null,
    run: (model) => just(scrollShown(model, 'pageUp')),
  },
  {
    action: 'pageDown',
    keys: ['pagedown'],
    places: ['search'],
    help: null,
    run: (model) => just(scrollShown(model, 'pageDown')),
  },
  {
    action: 'eraseLeft',
    keys: ['backspace'],
    places: ['search'],
    help: null,
    run: (model) => eraseSearch(model, 'character'),
  },
  {
    action: 'eraseWord',
    keys: ['ctrl-w', 'alt-backspace'],
    places: ['search'],
    help: null,
    run: (model) => eraseSearch(model, 'word'),
  },
  {
    action: 'eraseToStart',
    keys: ['ctrl-u'],
    places: ['search'],
    help: null,
    run: (model) => eraseSearch(model, 'all'),
  },
];
