import { just, type Model, type Update } from '../model.js';
import { shownFeed } from '../views/feed.view.js';
import { withFlash } from './flash.js';

/** So many outputs can be gone back through. */
const OUTPUTS_MAX = 200;

/** The newest output in sight, all that is stored of it, on a page. */
export function pageOutput(model: Model): Update {
  const feed = shownFeed(model);
  const actionIds = (feed?.timeline.entries ?? [])
    .flatMap((entry) => (entry.type === 'action' && entry.output !== '' ? [entry.actionId] : []))
    .slice(-OUTPUTS_MAX)
    .toReversed();
  if (actionIds.length === 0) return just(withFlash(model, 'nothing was printed yet'));
  return { model, effects: [{ type: 'pageOutput', actionIds, nth: 0 }] };
}
