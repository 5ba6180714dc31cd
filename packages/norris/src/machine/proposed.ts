import { headOf, needTold, noted, nothing, told } from '@aish/actions';
import { checkAcceptedTurn, checkRefusedTurn, questionAnsweredTurn, questionDeclinedTurn } from '@aish/conversation';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { abort, startStep } from './go-on.js';
import { GOAL_POLICY } from './policy.js';
import type { GoalMachine } from './state.js';

/** A person's answer to the check that the model proposed. */
export function checkDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'checkDecided' }>): Advance {
  if (!waitsFor(machine, 'verify') || machine.verify !== null) return nothing(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  const isTaken = event.verdict !== 'skip';
  const turn = isTaken ? checkAcceptedTurn(event.command) : checkRefusedTurn(event.command, event.message);
  const records: GoalRecord[] = [
    ...(isTaken ? [{ type: 'setCheck' as const, verify: event.command, by: event.by }] : []),
    { type: 'appendTurn', ...turn },
    ...(isTaken ? noted(event.message) : []),
  ];
  return planned({ ...machine, verify: isTaken ? event.command : null }, records);
}

/** A person's answer to what the model asked. */
export function questionDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'questionDecided' }>): Advance {
  const line = machine.step?.goalLine;
  if (!waitsFor(machine, 'ask') || line?.kind !== 'ask') return nothing(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  const { answer, message } = event;
  if (answer === null) return planned(machine, [told(questionDeclinedTurn(line.question, message))]);
  return planned(machine, [told(questionAnsweredTurn(answer)), ...noted(message)]);
}

/** A person's answer to what the model needs to reach. */
export function needDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'needDecided' }>): Advance {
  const line = machine.step?.goalLine;
  if (!waitsFor(machine, 'need') || line?.kind !== 'need') return nothing(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  return planned(machine, needTold(line.need, event));
}

function waitsFor(machine: GoalMachine, kind: 'verify' | 'ask' | 'need'): boolean {
  const isAsked = machine.state === 'halted' || machine.state === 'paused';
  return isAsked && machine.step?.goalLine?.kind === kind && headOf(machine) === undefined;
}

/** What was decided took the place of an action: whatever the answer, the model goes on with a step of its own. */
function planned(machine: GoalMachine, records: readonly GoalRecord[]): Advance {
  const next = startStep(machine, records);
  if (next.effect === null) return next;
  // It is written by the api, which drives nothing.
  const queued = GOAL_POLICY.release(next.machine);
  return { machine: queued.machine, records: [...next.records, ...queued.records], effect: null };
}
