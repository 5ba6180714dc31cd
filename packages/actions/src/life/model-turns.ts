import type { NewTurn } from '@aish/contracts/sessions';
import { noteTurn } from '@aish/prompt';
import type { Action, ActionRecord } from '../action.js';

/** Makes the record for a notice of aish to the model. */
export function modelNotice(turn: NewTurn): ActionRecord {
  return { type: 'appendTurn', ...turn, isNotice: true };
}

/**
 * Makes the records for a person's note to the model with a verdict. Paths that a note to a refusal names are refused,
 * too.
 */
export function noteRecords(message: string | null, isRefusal = false): readonly ActionRecord[] {
  return message === null ? [] : [{ type: 'appendTurn', ...noteTurn(message, isRefusal) }];
}

/**
 * Makes the record for the text that the model gets instead of an action's result. Every tool call must have one,
 * because templates require it.
 */
export function resultTurn(action: Action, turn: NewTurn): ActionRecord {
  if (action.kind === 'command') return { type: 'appendTurn', ...turn };
  const meta = { toolCallId: action.callId, toolName: action.tool, isError: true };
  return { type: 'appendTurn', ...turn, role: 'tool', meta };
}
