import type { Msg } from '../messages.js';
import type { Model, Update } from '../model.js';
import { tabAt } from '../views/tabs.view.js';
import { showView } from './panes.update.js';
import { scrollPage } from './long-page.update.js';
import { scrollLines } from './scroll.update.js';
import { scrollHalt } from './decisions.update.js';

const WHEEL_LINES = 3;

/** The wheel scrolls, a click on a tab goes there. A click never answers a question. */
export function mouseMoved(model: Model, { action, x, y }: Extract<Msg, { type: 'mouse' }>): Update {
  if (action === 'click') {
    const view = y === 0 && model.overlay === null ? tabAt(model, x) : null;
    return view === null ? { model, effects: [] } : showView(model, view);
  }
  const lines = action === 'up' ? -WHEEL_LINES : WHEEL_LINES;
  if (model.overlay?.type === 'halt') return { model: scrollHalt(model, lines), effects: [] };
  if (model.overlay?.type === 'page') return scrollPage(model, lines);
  return { model: model.overlay === null ? scrollLines(model, lines) : model, effects: [] };
}
