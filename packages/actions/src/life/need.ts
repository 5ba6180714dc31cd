import { needLine, needName, needRequest, type Need } from '@aish/contracts/needs';
import { needGivenTurn, needRefusedTurn } from '@aish/prompt';
import type { ActionEvent, ActionRecord } from '../action.js';
import type { LifePolicy } from './policy.js';
import type { ActionMachine, Advance } from './step.js';
import { noteRecords, modelNotice } from './model-turns.js';

/** Asks a person for the access that the model needs. Nothing continues until there is an answer. */
export function askNeed<M extends ActionMachine, R>(
  machine: M,
  need: Need,
  records: readonly R[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  const reason = 'the model asks for more access';
  const halted = policy.halt(machine, reason);
  return {
    machine: halted.machine,
    records: [
      ...records,
      {
        type: 'requestDecision',
        kind: 'need',
        actionId: null,
        action: needLine(need),
        reason,
        classification: null,
        request: needRequest(need, policy.of),
      },
      ...halted.records,
    ],
    effect: null,
  };
}

/** Returns the notice to the model about a person's answer to its need. */
export function needNotices(
  need: Need,
  { access, message }: Pick<Extract<ActionEvent, { type: 'needDecided' }>, 'access' | 'message'>,
): readonly ActionRecord[] {
  const name = needName(need);
  if (access === null) return [modelNotice(needRefusedTurn(name, message))];
  return [modelNotice(needGivenTurn(name, access)), ...noteRecords(message)];
}
