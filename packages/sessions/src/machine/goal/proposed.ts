import { noteRecords, noChange, modelNotice } from '@aish/actions';
import {
  checkAcceptedTurn,
  checkRefusedTurn,
  planAcceptedTurn,
  planRefusedTurn,
  questionAnsweredTurn,
  questionDeclinedTurn,
} from '@aish/prompt';
import { pendingLine, planned } from '../session.js';
import type { Advance, GoalEvent, GoalRecord } from './events.js';
import { GOAL_POLICY, abort } from './policy.js';
import type { GoalMachine } from './state.js';

/** Handles a person's verdict on the check that the model proposed. */
export function checkDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'checkDecided' }>): Advance {
  if (pendingLine(machine, GOAL_POLICY)?.kind !== 'verify' || machine.verify !== null) return noChange(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  const isTaken = event.verdict === 'proceed' || event.verdict === 'edit';
  const turn = isTaken ? checkAcceptedTurn(event.command) : checkRefusedTurn(event.command, event.message);
  const records: GoalRecord[] = [
    ...(isTaken ? [{ type: 'setCheck' as const, verify: event.command, by: event.by }] : []),
    { type: 'appendTurn', ...turn },
    ...(isTaken ? noteRecords(event.message) : []),
  ];
  return planned({ ...machine, verify: isTaken ? event.command : null }, records, GOAL_POLICY);
}

/** Handles a person's verdict on the plan that the model proposed. After a refusal, the goal still changes nothing. */
export function planDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'planDecided' }>): Advance {
  const line = pendingLine(machine, GOAL_POLICY);
  if (line?.kind !== 'plan' || machine.awaitsPlan !== true) return noChange(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  if (event.verdict !== 'proceed' && event.verdict !== 'edit') {
    const refused: GoalRecord = { type: 'appendTurn', ...planRefusedTurn(line.plan, event.message) };
    return planned(machine, [refused], GOAL_POLICY);
  }
  const { awaitsPlan: _, ...free } = machine;
  const edited = event.plan === line.plan ? null : event.plan;
  return planned(
    free,
    [{ type: 'acceptPlan' }, { type: 'appendTurn', ...planAcceptedTurn(edited) }, ...noteRecords(event.message)],
    GOAL_POLICY,
  );
}

/** Handles a person's answer to the model's question. */
export function questionDecided(machine: GoalMachine, event: Extract<GoalEvent, { type: 'questionDecided' }>): Advance {
  const line = pendingLine(machine, GOAL_POLICY);
  if (line?.kind !== 'ask') return noChange(machine);
  if (event.verdict === 'abort') return abort(machine, event);
  const { answer, message } = event;
  if (answer === null)
    return planned(machine, [modelNotice(questionDeclinedTurn(line.question, message))], GOAL_POLICY);
  return planned(machine, [modelNotice(questionAnsweredTurn(answer)), ...noteRecords(message)], GOAL_POLICY);
}
