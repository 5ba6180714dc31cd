import type { Model } from '../model.js';
import type { Line } from '@aish/views/line';
import { fit } from '@aish/views/text/fit';
import { decisionView } from './decision.view.js';
import { decisionsView } from './decisions.view.js';
import { feedWindow } from './feed.view.js';
import { goalsView } from './goals.view.js';
import { grantsView } from './grants.view.js';
import { helpView, pageView } from './help.view.js';
import { layoutOf } from './layout.js';
import { filled } from './list.view.js';
import { menuView } from './menu.view.js';
import { paneView } from './pane.view.js';
import { promptView, completionView } from './prompt.view.js';
import { bannerView, statusView } from './status.view.js';
import { tabsView } from './tabs.view.js';
import { welcome } from './welcome.view.js';

/** A whole screen with one line per row, each as wide as the screen, and the position of the cursor. */
export interface Frame {
  readonly lines: readonly Line[];
  readonly cursor: { readonly col: number; readonly row: number } | null;
}

/** Returns the screen for a model. The function is pure. */
export function frameOf(model: Model): Frame {
  const { cols, rows } = model.size;
  const { mainRows } = layoutOf(model);
  const prompt = promptView(model);
  const main = filled(withOverlay(filled(mainView(model), mainRows, cols), model), mainRows, cols);
  const lines = [tabsView(model), ...main, bannerView(model), ...prompt.lines, statusView(model)];
  const cursor = prompt.cursor === null ? null : { col: prompt.cursor.col, row: mainRows + 2 + prompt.cursor.row };
  return { lines: lines.map((each) => fit(each, cols)).slice(0, rows), cursor: rows >= 4 ? cursor : null };
}

function mainView(model: Model): readonly Line[] {
  switch (model.view) {
    case 'chat':
      return chatView(model);
    case 'goals':
      return goalsView(model);
    case 'decisions':
      return decisionsView(model);
    case 'help':
      return helpView(model);
    case 'memory':
    case 'knowledge':
    case 'sessions':
      return paneView(model, model.view);
  }
}

function withOverlay(main: readonly Line[], model: Model): readonly Line[] {
  const { overlay, completion } = model;
  if (overlay?.type === 'page') return pageView(overlay, model);
  if (overlay?.type === 'grants') return grantsView(overlay, model);
  const over =
    overlay?.type === 'halt'
      ? decisionView(overlay, model)
      : overlay?.type === 'menu'
        ? menuView(overlay, model)
        : completion === null
          ? []
          : completionView(completion, model);
  return over.length === 0 ? main : [...main.slice(0, Math.max(0, main.length - over.length)), ...over];
}

/** Returns the conversation, with its end at the bottom. */
function chatView(model: Model): readonly Line[] {
  const { mainRows } = layoutOf(model);
  const { chat } = model;
  const isEmpty = chat.feed.timeline.entries.length === 0 && chat.outbox.length === 0 && chat.feed.trouble === null;
  if (isEmpty) return chat.session === null ? welcome(mainRows) : [];
  return feedWindow(model, chat.feed).lines;
}
