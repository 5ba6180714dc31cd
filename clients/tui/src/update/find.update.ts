import type { Feed, Model } from '../model.js';
import { textOf, type Line } from '@aish/views/line';
import { timelineLines } from '../timeline/timeline.lines.js';
import { feedRoom, shownFeed, withFeed } from '../views/feed.view.js';
import { withFlash } from './flash.js';

/** Returns the lines of the timeline that contain the text, newest last. Case counts only if the text has capitals. */
function hitsOf(model: Model, feed: Feed, text: string): readonly number[] {
  if (text === '') return [];
  return hitsIn(timelineLines(feed.timeline, { width: feedRoom(model).cols - 1, isUnfolded: model.isUnfolded }), text);
}

/** Shows the newest hit. */
export function find(model: Model, text: string): Model {
  return goToHit({ ...model, search: { kind: 'find', text, hit: 0 } });
}

/** Moves to an older hit (1) or a newer one (-1). */
export function findNext(model: Model, by: 1 | -1): Model {
  const { search } = model;
  if (search?.kind !== 'find') return model;
  return goToHit({ ...model, search: { ...search, hit: search.hit + by } });
}

/** Returns the numbers of the lines that contain the text. */
export function hitsIn(lines: readonly Line[], text: string): readonly number[] {
  const exact = text !== text.toLowerCase();
  return lines.flatMap((each, index) => {
    const content = textOf(each);
    return (exact ? content : content.toLowerCase()).includes(text) ? [index] : [];
  });
}

function goToHit(model: Model): Model {
  const feed = shownFeed(model);
  const { search } = model;
  if (feed === null || search?.kind !== 'find' || search.text === '') return model;
  const hits = hitsOf(model, feed, search.text);
  if (hits.length === 0) return withFlash(model, `“${search.text}” was not found`, 'warn');
  const hit = (search.hit + hits.length) % hits.length;
  const row = hits[hits.length - 1 - hit] ?? 0;
  const top = Math.max(0, row - Math.floor(feedRoom(model).rows / 2));
  return withFeed({ ...model, search: { ...search, hit } }, { ...feed, top });
}
