import type { ActionEntry } from '@aish/views/entries';
import { just, type Model, type Update } from '../model.js';
import { shownFeed } from '../views/feed.view.js';
import { withFlash } from './flash.js';

/** The number of outputs that u can go back. */
const OUTPUTS_MAX = 200;

/** Opens the newest visible output in full, on a page. */
export function pageOutput(model: Model): Update {
  const actionIds = actionsInSight(model, ({ output }) => output !== '');
  if (actionIds.length === 0) return just(withFlash(model, 'no command has printed anything yet'));
  return { model, effects: [{ type: 'pageOutput', actionIds, nth: 0 }] };
}

/** Opens all file changes of the newest visible command, on a page. */
export function pageChanges(model: Model): Update {
  const actionIds = actionsInSight(model, ({ state, halt, outcome }) => {
    // The command has run, and its changes wait for a verdict.
    if (state === 'running' && halt?.answer === null) return true;
    const { created, changed, deleted } = outcome?.effects ?? {};
    return [created, changed, deleted].some((share) => share !== undefined && share.files > 0);
  });
  if (actionIds.length === 0) return just(withFlash(model, 'no file has changed yet'));
  return { model, effects: [{ type: 'pageChanges', actionIds, nth: 0 }] };
}

/** Returns the visible actions, newest first. */
function actionsInSight(model: Model, isWanted: (entry: ActionEntry) => boolean): readonly string[] {
  return (shownFeed(model)?.timeline.entries ?? [])
    .flatMap((entry) => (entry.type === 'action' && isWanted(entry) ? [entry.actionId] : []))
    .slice(-OUTPUTS_MAX)
    .toReversed();
}
