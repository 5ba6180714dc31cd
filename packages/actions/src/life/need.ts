import { needLine, needName, needRequest, type Need } from '@aish/contracts/needs';
import { needGivenTurn, needRefusedTurn } from '@aish/prompt';
import type { ActionEvent, ActionRecord } from '../action.js';
import type { LifePolicy } from './policy.js';
import type { ActionMachine, Advance } from './step.js';
import { noted, told } from './told.js';

/** Asks a person for what the model needs to reach; nothing goes on until there is an answer. */
export function askNeed<M extends ActionMachine, R>(
  machine: M,
  need: Need,
  records: readonly R[],
  policy: LifePolicy<M, R>,
): Advance<M, R | ActionRecord> {
  const reason = 'the model needs to reach more';
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

/** What the model is told of a person's answer. */
export function needTold(
  need: Need,
  { reach, message }: Pick<Extract<ActionEvent, { type: 'needDecided' }>, 'reach' | 'message'>,
): readonly ActionRecord[] {
  const name = needName(need);
  if (reach === null) return [told(needRefusedTurn(name, message))];
  return [told(needGivenTurn(name, reach)), ...noted(message)];
}
