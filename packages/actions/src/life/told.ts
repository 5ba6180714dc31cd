import type { NewTurn } from '@aish/contracts/sessions';
import { noteTurn } from '@aish/prompt';
import type { Action, ActionRecord } from '../action.js';

/** What aish tells the model of its own accord. */
export function told(turn: NewTurn): ActionRecord {
  return { type: 'appendTurn', ...turn, isTold: true };
}

/** A person's note for the model, which comes with a verdict. With a refusal, what it names is refused, too. */
export function noted(message: string | null, isRefusal = false): readonly ActionRecord[] {
  return message === null ? [] : [{ type: 'appendTurn', ...noteTurn(message, isRefusal) }];
}

/** What the model is told in place of an action's result. A tool call must have one, or no template takes it. */
export function resultTurn(action: Action, turn: NewTurn): ActionRecord {
  if (action.kind === 'command') return { type: 'appendTurn', ...turn };
  const meta = { toolCallId: action.callId, toolName: action.tool, isError: true };
  return { type: 'appendTurn', ...turn, role: 'tool', meta };
}
