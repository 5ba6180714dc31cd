import type { RowAction } from '../view-state.js';
import { just, type Model, type Update } from '../model.js';
import { isPane } from '../view-id.js';
import { openDecision } from './decisions.update.js';
import { withFlash } from './flash.js';
import { chooseNeighbour } from './goals.update.js';
import { openMenu } from './menu.update.js';
import { choosePaneRow, followLink, showView } from './panes.update.js';
import { promptOf } from './prompt.edit.js';

/** Selects another row of the shown list. */
export function chooseRow(model: Model, to: (at: number, last: number) => number): Update {
  if (isPane(model.view)) return choosePaneRow(model, model.view, to);
  if (model.view === 'decisions') {
    const last = model.decisions.length - 1;
    return just({ ...model, decisionAt: Math.min(Math.max(0, last), Math.max(0, to(model.decisionAt, last))) });
  }
  if (model.view === 'help') return just({ ...model, helpTop: Math.max(0, to(model.helpTop, 10_000)) });
  const goals = model.goals ?? [];
  const at = goals.findIndex(({ id }) => id === model.chosen);
  return chooseNeighbour(model, to(at, goals.length - 1) - at);
}

/** Opens the selected row (Enter). */
export function openRow(model: Model): Update {
  switch (model.view) {
    case 'sessions': {
      const { chosen } = model.panes.sessions;
      return { model, effects: chosen === null ? [] : [{ type: 'openSession', reference: chosen }] };
    }
    case 'decisions': {
      const decision = model.decisions[model.decisionAt];
      return just(decision === undefined ? withFlash(model, 'no decision is open') : openDecision(model, decision));
    }
    case 'help':
      return showView(model, 'chat');
    case 'knowledge':
      return followLink(model);
    case 'goals':
    case 'memory':
      return openMenu(model);
    case 'chat':
      return just(model);
  }
}

/** Accepts or removes the selected row. If this cannot be undone, it asks first. */
export function actOnRow(model: Model, action: RowAction): Update {
  if (!isPane(model.view)) return just(model);
  const { chosen } = model.panes[model.view];
  if (chosen === null) return just(model);
  const effect = { type: 'actOnRow', pane: model.view, key: chosen, action } as const;
  if (action === 'accept' || !chosen.startsWith('i')) return { model, effects: [effect] };
  return just({ ...model, overlay: { type: 'question', text: `forget item ${chosen.slice(1)}? y/N `, yes: effect } });
}

/** Opens the prompt with the selected memory or proposal, for editing. */
export function editRow(model: Model): Update {
  const { chosen, rows } = model.panes.memory;
  const row = rows?.find(({ key }) => key === chosen);
  if (model.view !== 'memory' || row === undefined) return just(model);
  const verb = row.key.startsWith('c') ? 'accept' : 'set';
  const prompt = promptOf(`:memory ${verb} ${row.key.slice(1)} ${row.find.replaceAll(/\s+/g, ' ')}`);
  return just({ ...model, prompt, isPromptOpen: true });
}

export function copyRow(model: Model): Update {
  if (!isPane(model.view)) return just(withFlash(model, 'there is nothing to copy here'));
  const { detail } = model.panes[model.view];
  if (detail === null) return just(model);
  return { model: withFlash(model, 'copied', 'good'), effects: [{ type: 'copy', text: detail.text }] };
}
