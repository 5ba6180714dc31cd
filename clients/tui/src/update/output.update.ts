import type { ActionEntry } from '@aish/views/entries';
import { just, type Model, type Update } from '../model.js';
import { shownFeed } from '../views/feed.view.js';
import { withFlash } from './flash.js';

/** So many outputs can be gone back through. */
const OUTPUTS_MAX = 200;

/** The newest output in sight, all that is kept of it, on a page. */
export function pageOutput(model: Model): Update {
  const actionIds = actionsInSight(model, ({ output }) => output !== '');
  if (actionIds.length === 0) return just(withFlash(model, 'nothing was printed yet'));
  return { model, effects: [{ type: 'pageOutput', actionIds, nth: 0 }] };
}

/** All that the newest command in sight did to files, on a page. */
export function pageChanges(model: Model): Update {
  const actionIds = actionsInSight(model, ({ state, halt, outcome }) => {
    // It has run, and what it did waits for a verdict.
    if (state === 'running' && halt?.answer === null) return true;
    const { created, changed, deleted } = outcome?.effects ?? {};
    return [created, changed, deleted].some((share) => share !== undefined && share.files > 0);
  });
  if (actionIds.length === 0) return just(withFlash(model, 'no file was changed yet'));
  return { model, effects: [{ type: 'pageChanges', actionIds, nth: 0 }] };
}

/** The newest first. */
function actionsInSight(model: Model, isWanted: (entry: ActionEntry) => boolean): readonly string[] {
  return (shownFeed(model)?.timeline.entries ?? [])
    .flatMap((entry) => (entry.type === 'action' && isWanted(entry) ? [entry.actionId] : []))
    .slice(-OUTPUTS_MAX)
    .toReversed();
}
