import { jsonTextOf } from '@aish/contracts/json-text';
import { UNKNOWN_CAPABILITIES, type ModelCapabilities } from '@aish/contracts/models';
import type { ToolCall } from '@aish/contracts/tools';
import type { ChatMessage, ToolDefinition } from './broker.port.js';

/** A message in the request format. */
export type WireMessage = Readonly<Record<string, unknown>> & {
  readonly role: string;
  readonly content: string | null;
};

/**
 * Whether tools are described in text and calls are read from the text, because the endpoint returns no native calls.
 */
export function usesTextTools(capabilities: ModelCapabilities): boolean {
  return capabilities.nativeTools === false;
}

/**
 * Formats messages for a model's chat template. Pure. Templates that refuse the role `tool` get the form `[tool:
 * name]`. Those that refuse a system message get its text before the first message. After a change, neighbouring
 * messages of one role are merged, because such templates expect roles to alternate.
 */
export function shapeMessages(
  messages: readonly ChatMessage[],
  capabilities: ModelCapabilities = UNKNOWN_CAPABILITIES,
  tools: readonly ToolDefinition[] = [],
): readonly WireMessage[] {
  const inWords = usesTextTools(capabilities);
  const withTools = inWords && tools.length > 0 ? describeTools(messages, tools) : messages;
  const plain = inWords || capabilities.toolRole === false ? withTools.map(toolsAsText) : withTools;
  const placed = capabilities.systemRole === false ? systemIntoFirst(plain) : plain;
  return (placed === messages ? placed : merge(placed)).map(wire);
}

/** Formats a call as text that `salvage` can parse. */
export function callAsText({ name, arguments: text }: ToolCall): string {
  return `<tool_call>{"name": ${JSON.stringify(name)}, "arguments": ${objectText(text)}}</tool_call>`;
}

function describeTools(messages: readonly ChatMessage[], tools: readonly ToolDefinition[]): readonly ChatMessage[] {
  const lines = tools.map(jsonTextOf);
  const text = `You may call these tools:\n${lines.join('\n')}\n\nTo call one, write on a line of its own, and nothing after it:\n<tool_call>{"name": "the_name", "arguments": {"key": "value"}}</tool_call>\nThe result comes in the next turn, after [tool: the_name].`;
  const [first, ...rest] = messages;
  if (first?.role === 'system') return [{ ...first, content: `${first.content}\n\n${text}` }, ...rest];
  return [{ role: 'system', content: text }, ...messages];
}

function toolsAsText(message: ChatMessage): ChatMessage {
  if (message.role === 'tool') {
    const lines = message.content.split('\n').map((line) => `| ${line}`);
    return { role: 'user', content: [`[tool: ${message.toolName ?? 'unknown'}]`, ...lines].join('\n') };
  }
  if (message.toolCalls === undefined || message.toolCalls.length === 0) return message;
  const calls = message.toolCalls.map(callAsText).join('\n');
  const { toolCalls: _toolCalls, ...rest } = message;
  return { ...rest, content: message.content === '' ? calls : `${message.content}\n${calls}` };
}

function systemIntoFirst(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content);
  const rest = messages.filter((message) => message.role !== 'system');
  if (system.length === 0) return messages;
  return [{ role: 'user', content: system.join('\n\n') }, ...rest];
}

function merge(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const merged: ChatMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    const isPlain = (each: ChatMessage): boolean => each.role !== 'tool' && (each.toolCalls?.length ?? 0) === 0;
    if (last !== undefined && last.role === message.role && isPlain(last) && isPlain(message)) {
      merged[merged.length - 1] = { role: last.role, content: `${last.content}\n\n${message.content}` };
    } else merged.push(message);
  }
  return merged;
}

function wire(message: ChatMessage): WireMessage {
  const { role, content, toolCalls, toolCallId, toolName, reasoning } = message;
  const thoughts = reasoning === undefined ? {} : { reasoning_content: reasoning };
  if (role === 'tool') {
    return {
      role,
      content,
      ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
      ...(toolName === undefined ? {} : { name: toolName }),
    };
  }
  if (toolCalls === undefined || toolCalls.length === 0) return { role, content, ...thoughts };
  return {
    role,
    content: content === '' ? null : content,
    ...thoughts,
    tool_calls: toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: objectText(call.arguments) },
    })),
  };
}

/**
 * Returns arguments as the JSON text of an object. The model's text may be broken, and llama.cpp answers every request
 * whose history contains such a call with status 500 ("Failed to parse tool call arguments as JSON").
 */
function objectText(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text;
  } catch {
    // The text is shown below as plain text.
  }
  return JSON.stringify(text.trim() === '' ? {} : { unreadable: text });
}
