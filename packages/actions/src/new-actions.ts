import { randomUUID } from 'node:crypto';
import type { ToolCall, ToolSpec } from '@aish/contracts/tools';
import type { Toolbox } from '@aish/tools';
import type { NewAction } from './action.js';

/** Maximum number of tool calls that are accepted from one answer. */
const CALLS_MAX = 32;

/** Returns the actions of an answer: its commands, then its tool calls. */
export function newActions(
  commands: readonly string[],
  calls: readonly ToolCall[],
  specs: readonly ToolSpec[],
  toolbox: Toolbox,
): readonly NewAction[] {
  return [
    ...commands.map((command): NewAction => ({ id: randomUUID(), kind: 'command', command, isCheck: false })),
    ...calls.slice(0, CALLS_MAX).map((call) => newCall(call, specs, toolbox)),
  ];
}

/** Makes an action from a tool call. A faulty call does not run, and the model gets the error. */
function newCall(call: ToolCall, specs: readonly ToolSpec[], toolbox: Toolbox): NewAction {
  const prepared = toolbox.prepare(call, specs);
  const request = {
    id: randomUUID(),
    kind: 'tool',
    callId: call.id,
    tool: call.name,
    arguments: call.arguments,
  } as const;
  if ('refused' in prepared) {
    return { ...request, label: prepared.label, readOnly: false, fault: prepared.refused.text };
  }
  const { spec, isBuiltIn } = prepared.ready;
  const readOnly = isBuiltIn || (spec.trusted && spec.annotations.readOnlyHint === true);
  return { ...request, label: spec.label, readOnly };
}
