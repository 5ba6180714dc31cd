import { headOf, nothing } from '@aish/actions';
import { checkAcceptedTurn, checkRefusedTurn } from '@aish/conversation';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { end, startStep } from './go-on.js';
import { GOAL_POLICY } from './policy.js';
import type { GoalMachine } from './state.js';

/** The proposal took the place of an action: whatever the answer, the model goes on with a step of its own. */
export function checkDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'checkDecided' }>): Advance {
  const isAsked = machine.state === 'halted' || machine.state === 'paused';
  const isProposed = machine.step?.goalLine?.kind === 'verify' && machine.verify === null;
  if (!isAsked || !isProposed || headOf(machine) !== undefined) return nothing(machine);
  if (event.verdict === 'abort') return end(machine, 'aborted', `aborted by ${event.by}`, null, []);
  const isTaken = event.verdict !== 'skip';
  const content = isTaken ? checkAcceptedTurn(event.command) : checkRefusedTurn(event.message);
  const records: GoalRecord[] = [
    ...(isTaken ? [{ type: 'setCheck' as const, verify: event.command, by: event.by }] : []),
    { type: 'appendTurn', role: 'notice', content },
  ];
  const next = startStep({ ...machine, verify: isTaken ? event.command : null }, records);
  if (next.effect === null) return next;
  // It is written by the api, which drives nothing.
  const queued = GOAL_POLICY.release(next.machine);
  return { machine: queued.machine, records: [...next.records, ...queued.records], effect: null };
}
