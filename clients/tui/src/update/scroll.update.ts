import type { Model } from '../model.js';
import { feedRoom, feedWindow, shownFeed, withFeed } from '../views/feed.view.js';
import { helpMaxTop, paneDetailMaxTop, paneDetailRoom } from '../views/scrollable.js';
import { isPane } from '../view-id.js';
import { withPane } from './panes.update.js';

type Where = 'pageUp' | 'pageDown' | 'toStart' | 'toEnd';

/** Scrolls the content of the view. */
export function scrollShown(model: Model, where: Where): Model {
  return scrollBy(
    model,
    where === 'pageUp' || where === 'pageDown' ? 'page' : 'all',
    where === 'pageUp' || where === 'toStart' ? -1 : 1,
  );
}

/** Scrolls a few lines, as the wheel does. */
export function scrollLines(model: Model, lines: number): Model {
  return scrollBy(model, Math.abs(lines), lines < 0 ? -1 : 1);
}

function scrollBy(model: Model, amount: number | 'page' | 'all', sign: 1 | -1): Model {
  if (model.view === 'help') {
    const by = amount === 'page' ? model.size.rows - 6 : amount === 'all' ? 10_000 : amount;
    return { ...model, helpTop: clamp(model.helpTop + sign * by, helpMaxTop(model)) };
  }
  if (isPane(model.view)) {
    const pane = model.panes[model.view];
    const by = amount === 'page' ? paneDetailRoom(model) - 1 : amount === 'all' ? 100_000 : amount;
    const maxTop = paneDetailMaxTop(model);
    return withPane(model, model.view, { detailTop: clamp(Math.min(pane.detailTop, maxTop) + sign * by, maxTop) });
  }
  const feed = shownFeed(model);
  if (feed === null) return model;
  const { top, maxTop } = feedWindow(model, feed);
  const by = amount === 'page' ? feedRoom(model).rows - 1 : amount === 'all' ? 1_000_000 : amount;
  const next = Math.max(0, top + sign * by);
  return withFeed(model, { ...feed, top: next >= maxTop ? null : next });
}

function clamp(value: number, max: number): number {
  return Math.min(max, Math.max(0, value));
}
