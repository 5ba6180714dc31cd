import { isTerminal } from '@aish/contracts';
import type { Advance, GoalEvent, RecordEffect } from './events.js';
import { isCalling, type GoalMachine } from './state.js';
import { answer } from './answer.js';
import { cancel, continueGoal, edit, pause, resume } from './control.js';
import { checkDecided, decided } from './decide.js';
import { classified, ended } from './actions.js';
import { end, goOn, nothing, setGoal } from './go-on.js';
import { away, broke } from './away.js';

/**
 * The step machine: what follows from an event. Pure. An event that does not fit the state (a late answer, a second
 * verdict) changes nothing. A goal that has ended stays as it is, until a person continues it. Source: Phase 3 manifest,
 * sections 4 and 6; architecture, "How a goal flows".
 */
export function advance(machine: GoalMachine, event: GoalEvent): Advance {
  if (isTerminal(machine.state) && event.type !== 'continued' && event.type !== 'edited') return nothing(machine);
  switch (event.type) {
    case 'taken':
      return take(machine);
    case 'answered':
      return answer(machine, event);
    case 'classified':
      return classified(machine, event);
    case 'ended':
      return ended(machine, event);
    case 'decided':
      return decided(machine, event);
    case 'checkDecided':
      return checkDecided(machine, event);
    case 'away':
      return away(machine, event);
    case 'broke':
      return broke(machine, event.reason);
    case 'failed':
      return end(machine, 'failed', event.reason, null, []);
    case 'cancelled':
      return cancel(machine, event);
    case 'paused':
      return pause(machine, event.by);
    case 'resumed':
      return resume(machine, event.isAsked);
    case 'continued':
      return continueGoal(machine, event);
    case 'edited':
      return edit(machine, event.text);
  }
}

/** A driver has the goal: whatever was under way when the last one stopped goes on here. */
function take(machine: GoalMachine): Advance {
  if (machine.state === 'halted' || machine.state === 'paused') return nothing(machine);
  const running = { ...machine, state: 'running' as const };
  // Whoever kept a call open for the answer to its question is gone.
  const open: readonly RecordEffect[] = isCalling(machine) ? [{ type: 'withdrawDecisions' }] : [];
  return goOn(running, machine.state === 'running' ? open : [...open, setGoal('running', null)]);
}
