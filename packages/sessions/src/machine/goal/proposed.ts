import { noted, nothing, told } from '@aish/actions';
import { checkAcceptedTurn, checkRefusedTurn, questionAnsweredTurn, questionDeclinedTurn } from '@aish/prompt';
import { askedLine, planned } from '../session.js';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { GOAL_POLICY, abort } from './policy.js';
import type { GoalMachine } from './state.js';

/** A person's answer to the check that the model proposed. */
export function checkDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'checkDecided' }>): Advance {
  if (askedLine(machine, GOAL_POLICY)?.kind !== 'verify' || machine.verify !== null) return nothing(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  const isTaken = event.verdict === 'proceed' || event.verdict === 'edit';
  const turn = isTaken ? checkAcceptedTurn(event.command) : checkRefusedTurn(event.command, event.message);
  const records: GoalRecord[] = [
    ...(isTaken ? [{ type: 'setCheck' as const, verify: event.command, by: event.by }] : []),
    { type: 'appendTurn', ...turn },
    ...(isTaken ? noted(event.message) : []),
  ];
  return planned({ ...machine, verify: isTaken ? event.command : null }, records, GOAL_POLICY);
}

/** A person's answer to what the model asked. */
export function questionDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'questionDecided' }>): Advance {
  const line = askedLine(machine, GOAL_POLICY);
  if (line?.kind !== 'ask') return nothing(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  const { answer, message } = event;
  if (answer === null) return planned(machine, [told(questionDeclinedTurn(line.question, message))], GOAL_POLICY);
  return planned(machine, [told(questionAnsweredTurn(answer)), ...noted(message)], GOAL_POLICY);
}
