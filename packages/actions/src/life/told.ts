import { noteTurn } from '@aish/conversation';
import type { Action, ActionRecord } from '../action.js';

/** What aish tells the model of its own accord. */
export function told(content: string): ActionRecord {
  return { type: 'appendTurn', role: 'notice', content, isTold: true };
}

/** What a person says to the model along with a verdict. */
export function noted(message: string | null): readonly ActionRecord[] {
  return message === null ? [] : [{ type: 'appendTurn', role: 'notice', content: noteTurn(message) }];
}

/** What the model is told in place of an action's result. A tool call must have one, or no template takes it. */
export function resultTurn(action: Action, content: string): ActionRecord {
  if (action.kind === 'command') return { type: 'appendTurn', role: 'notice', content };
  const meta = { toolCallId: action.callId, toolName: action.tool, isError: true };
  return { type: 'appendTurn', role: 'tool', content, meta };
}
