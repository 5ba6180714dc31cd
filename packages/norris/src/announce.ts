import { channel } from 'node:diagnostics_channel';
import type { Advance, GoalEvent } from './machine/events.js';
import type { GoalMachine } from './machine/state.js';

const advances = channel('aish.norris.advance');

/** A decision of the step machine, once it is written; heard by the recorder of goals alone, see `announceBoundary`. */
export function announceAdvance(goalId: string, before: GoalMachine, event: GoalEvent, decided: Advance): void {
  if (advances.hasSubscribers) advances.publish({ goalId, before, event, decided });
}
