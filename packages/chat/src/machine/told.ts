import { lostTurn } from '@aish/conversation';
import type { ChatRecord } from './events.js';
import type { ChatAction } from './state.js';

/** What the model is told of an action that was not carried out: a tool's result, or a notice about a command. */
export function told(action: ChatAction, asResult: string, asNotice: string): ChatRecord {
  return action.kind === 'tool'
    ? toolTurn(action, asResult, true)
    : { type: 'appendTurn', role: 'notice', content: asNotice };
}

export function toolTurn(action: Extract<ChatAction, { kind: 'tool' }>, content: string, isError: boolean): ChatRecord {
  const meta = { toolCallId: action.callId, toolName: action.tool, isError };
  return { type: 'appendTurn', role: 'tool', content, meta };
}

export function lostText(action: ChatAction): string {
  if (action.kind === 'command') return lostTurn(action.command);
  return 'The call was begun, but nobody knows how it ended. It was not made again. Find out what it did before you go on.';
}

export function textOf(action: ChatAction): string {
  return action.kind === 'command' ? action.command : `${action.label} ${action.arguments}`;
}
