import { chosenGoal, just, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';

/** Shows what undoing the newest command of the goal or chat would lose, and asks. */
export function foretellUndo(model: Model): Update {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  const sessionId = goal?.sessionId ?? model.chat.session?.id;
  if (sessionId === undefined) return just(withFlash(model, 'nothing has run yet'));
  return { model, effects: [{ type: 'foretellUndo', sessionId, nth: 0 }] };
}

/** The same of the command before the one that is shown. */
export function foretellOlder(model: Model): Update {
  const older = model.overlay?.type === 'page' ? model.overlay.older : undefined;
  return { model, effects: older === undefined ? [] : [older] };
}
