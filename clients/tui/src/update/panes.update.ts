import type { Detail, Pane, Row } from '../view-state.js';
import type { Effect } from '../messages.js';
import type { Model, Update } from '../model.js';
import { isPane, type PaneId, type ViewId } from '../view-id.js';
import { withFlash } from './flash.js';

const TRAIL_MAX = 100;

/** Opens a view. A list is loaded again each time. */
export function showView(model: Model, view: ViewId): Update {
  const helpFrom = view === 'help' && model.view !== 'help' ? model.view : model.helpFrom;
  const helpTop = view === 'help' && model.view !== 'help' ? 0 : model.helpTop;
  const shown: Model = { ...model, view, helpFrom, helpTop, isPromptOpen: false, completion: null, search: null };
  if (!isPane(view)) return { model: shown, effects: effectsOf(view) };
  return { model: shown, effects: [{ type: 'loadPane', pane: view, filter: model.panes[view].filter }] };
}

function effectsOf(view: ViewId): readonly Effect[] {
  if (view === 'goals') return [{ type: 'listGoals' }];
  return view === 'decisions' ? [{ type: 'listDecisions' }] : [];
}

export function withPane(model: Model, id: PaneId, change: Partial<Pane>): Model {
  return { ...model, panes: { ...model.panes, [id]: { ...model.panes[id], ...change } } };
}

export function paneLoaded(model: Model, id: PaneId, rows: readonly Row[]): Update {
  const pane = model.panes[id];
  const isStill = rows.some(({ key }) => key === pane.chosen);
  const chosen = isStill ? pane.chosen : (rows[0]?.key ?? null);
  const loaded = withPane(model, id, {
    rows,
    chosen,
    trouble: null,
    ...(isStill ? {} : { detail: null, detailTop: 0, trail: [], linkAt: 0 }),
  });
  const shown = shownKey(loaded.panes[id]);
  return { model: loaded, effects: shown === null ? [] : [{ type: 'loadDetail', pane: id, key: shown }] };
}

export function detailLoaded(model: Model, id: PaneId, detail: Detail): Model {
  // While a person scrolls fast, answers arrive for rows that they have left.
  return shownKey(model.panes[id]) === detail.key ? withPane(model, id, { detail }) : model;
}

export function choosePaneRow(model: Model, id: PaneId, to: (at: number, last: number) => number): Update {
  const { rows, chosen } = model.panes[id];
  if (rows === null || rows.length === 0) return { model, effects: [] };
  const last = rows.length - 1;
  const at = Math.max(
    0,
    rows.findIndex(({ key }) => key === chosen),
  );
  const next = rows[Math.min(last, Math.max(0, to(at, last)))];
  if (next === undefined || next.key === chosen) return { model, effects: [] };
  return {
    model: withPane(model, id, { chosen: next.key, detail: null, detailTop: 0, trail: [], linkAt: 0 }),
    effects: [{ type: 'loadDetail', pane: id, key: next.key }],
  };
}

/** Returns the key of the detail on the screen: the selected row, or the last followed link. */
function shownKey({ trail, chosen }: Pane): string | null {
  return trail.at(-1) ?? chosen;
}

/** Selects the next link and scrolls to it. */
export function nextLink(model: Model): Model {
  if (!isPane(model.view)) return model;
  const { detail, linkAt } = model.panes[model.view];
  const count = detail?.links?.length ?? 0;
  if (count === 0) return withFlash(model, 'there are no links here');
  return withPane(model, model.view, { linkAt: (linkAt + 1) % count, detailTop: Number.MAX_SAFE_INTEGER });
}

/** Follows the selected link. */
export function followLink(model: Model): Update {
  if (!isPane(model.view)) return { model, effects: [] };
  const { detail, linkAt, trail } = model.panes[model.view];
  const link = detail?.links?.[linkAt];
  if (link === undefined) return { model: withFlash(model, 'there are no links here'), effects: [] };
  return show(model, model.view, [...trail, link.key].slice(-TRAIL_MAX));
}

/** Returns to the node before the last link. */
export function linkBack(model: Model): Update {
  if (!isPane(model.view)) return { model, effects: [] };
  const { trail } = model.panes[model.view];
  return trail.length === 0
    ? { model: withFlash(model, 'this is the first node'), effects: [] }
    : show(model, model.view, trail.slice(0, -1));
}

function show(model: Model, id: PaneId, trail: readonly string[]): Update {
  const key = trail.at(-1) ?? model.panes[id].chosen;
  return {
    model: withPane(model, id, { trail, linkAt: 0, detailTop: 0 }),
    effects: key === null ? [] : [{ type: 'loadDetail', pane: id, key }],
  };
}

/** Searches for other rows on the server. */
export function filterPane(model: Model, id: PaneId, filter: string): Update {
  return { model: withPane(model, id, { filter }), effects: [{ type: 'loadPane', pane: id, filter }] };
}
