import type { Model } from '../model.js';
import type { Action } from './actions.js';
import { bindingFor } from './binding.js';

/** Nobody reads a question faster; until then keys are not meant for it. */
export const DEAF_MS = 500;
/** For so long after a key nothing else may be typed before it counts. */
export const QUIET_MS = 500;
/** Who typed text so shortly before is at it still. */
export const TYPING_MS = 1_000;

/** What a held key is shown with. */
export const HELD_NOTE = 'in a moment; any other key takes it back';

/** What the held key will do, if it does anything. */
export function heldAction(model: Model): Action | null {
  const { held } = model;
  return held === null || held.isEarly ? null : (bindingFor(model, held.key)?.action ?? null);
}
