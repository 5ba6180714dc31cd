import { channel } from 'node:diagnostics_channel';
import type { AtBoundary } from './boundaries.js';
import type { Advance, GoalEvent } from './machine/events.js';
import type { GoalMachine } from './machine/state.js';

/**
 * What a process that was started with `node --import` of a subscriber hears of its goals: the tests that kill workers, the
 * bench and the recorder of goals are such. No setting reaches this, and without a subscriber nothing happens.
 */
const boundaries = channel('aish.norris.boundary');
const advances = channel('aish.norris.advance');

/** A boundary that the driver of this process passes. */
export const announceBoundary: AtBoundary = (boundary, goalId) => {
  if (boundaries.hasSubscribers) boundaries.publish({ boundary, goalId });
};

/** A decision of the step machine, once it is written. */
export function announceAdvance(goalId: string, before: GoalMachine, event: GoalEvent, decided: Advance): void {
  if (advances.hasSubscribers) advances.publish({ goalId, before, event, decided });
}
