import { chosenGoal, just, type Model, type Update } from '../model.js';
import { withFlash } from './flash.js';

/** Shows the undo preview of the newest command of the goal or chat, and asks. */
export function previewUndo(model: Model): Update {
  const goal = model.view === 'goals' ? chosenGoal(model) : undefined;
  const sessionId = goal?.sessionId ?? model.chat.session?.id;
  if (sessionId === undefined) return just(withFlash(model, 'nothing to undo'));
  return { model, effects: [{ type: 'previewUndo', sessionId, nth: 0 }] };
}

/** Shows the undo preview of the previous command, or another earlier answer, in place of the page. */
export function previewOlderUndo(model: Model): Update {
  const { overlay } = model;
  if (overlay?.type !== 'page' || overlay.older === undefined) return just(model);
  return { model: { ...model, overlay: { ...overlay, isLeft: true } }, effects: [overlay.older] };
}
