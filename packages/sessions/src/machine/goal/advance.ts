import { isCalling, noChange } from '@aish/actions';
import { isTerminal } from '@aish/contracts/goals';
import { advanceActions, advanceToEffect } from '../session.js';
import { answer } from './answer.js';
import { ended, nextPoll } from './at-server.js';
import { handleUnavailable, handleError } from './unavailable.js';
import { checkDecided, planDecided, questionDecided } from './proposed.js';
import { cancel, continueGoal, edit, addMessages, interrupted, pause, resume } from './control.js';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { GOAL_POLICY, end, setGoal } from './policy.js';
import type { GoalMachine } from './state.js';

/** The events that can still change a goal that has ended. */
const AFTER_END: ReadonlySet<GoalEvent['type']> = new Set(['continued', 'edited', 'interrupted']);

/**
 * The step machine: decides what follows from an event. Pure. An event that does not fit the state (a late answer, a
 * second verdict) changes nothing. A goal that has ended stays as it is until a person continues it. See
 * "How a goal runs" in docs/architecture.md.
 */
export function advance(machine: GoalMachine, event: GoalEvent): Advance {
  if (isTerminal(machine.state) && !AFTER_END.has(event.type)) return noChange(machine);
  switch (event.type) {
    case 'taken':
      return take(machine);
    case 'answered':
      return answer(machine, event);
    case 'classified':
      return taking(machine, event.tookMs, {}, (counted) => advanceActions(counted, event, GOAL_POLICY));
    case 'ended':
      return taking(machine, event.tookMs, { failures: 0 }, (counted) => ended(counted, event));
    case 'decided':
    case 'needDecided':
      return advanceActions(machine, event, GOAL_POLICY);
    case 'checkDecided':
      return checkDecided(machine, event);
    case 'planDecided':
      return planDecided(machine, event);
    case 'questionDecided':
      return questionDecided(machine, event);
    case 'unavailable':
      return handleUnavailable(machine, event);
    case 'interrupted':
      return interrupted(machine, event);
    case 'broke':
      return handleError(machine, event.reason);
    case 'failed':
      return end(machine, 'failed', event.reason, null, []);
    case 'cancelled':
      return cancel(machine, event);
    case 'said':
      return addMessages(machine, event);
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

/** Lets a runner take the goal. The runner resumes the work that the last runner left unfinished. */
function take(machine: GoalMachine): Advance {
  if (machine.state === 'halted' || machine.state === 'paused') return noChange(machine);
  const look = nextPoll(machine);
  if (look !== null) return look;
  const running = { ...machine, state: 'running' as const };
  // The process that kept a call open for an answer no longer exists.
  const open: readonly GoalRecord[] = isCalling(machine) ? [{ type: 'withdrawDecisions' }] : [];
  return advanceToEffect(
    running,
    machine.state === 'running' ? open : [...open, setGoal('running', null)],
    GOAL_POLICY,
  );
}

/** Handles an event about actions that took time. An event that does not match adds no time. */
function taking(
  machine: GoalMachine,
  tookMs: number,
  more: Partial<GoalMachine>,
  next: (counted: GoalMachine) => Advance,
): Advance {
  const advanced = next({ ...machine, ...more, activeMs: machine.activeMs + tookMs });
  return advanced.records.length === 0 ? noChange(machine) : advanced;
}
