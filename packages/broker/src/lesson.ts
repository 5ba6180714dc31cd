import type { ModelCapabilities } from '@aish/contracts/models';
import type { AishError } from '@aish/contracts/problems';
import type { ChatMessage, ToolDefinition } from './broker.port.js';
import { usesTextTools } from './shape.js';

/** Returns the capabilities that an error reveals; null if there is no other way to ask. */
export function lessonOf(
  error: AishError,
  capabilities: ModelCapabilities,
  { tools, messages }: { readonly tools: readonly ToolDefinition[]; readonly messages: readonly ChatMessage[] },
): Partial<ModelCapabilities> | null {
  const hasTools = tools.length > 0 && !usesTextTools(capabilities);
  const hasToolTurns = messages.some((message) => message.role === 'tool');
  if (error.code === 'model_no_tools' || error.code === 'model_grammar')
    return hasTools ? { nativeTools: false } : null;
  if (error.code === 'model_refused') return refusedFields(error, capabilities);
  if (error.code !== 'model_template') return null;
  const reason = error.facts['reason'];
  if (reason === 'system' && capabilities.systemRole !== false) return { systemRole: false };
  if ((reason === 'schema' || reason === 'tool') && hasTools) return { nativeTools: false };
  if (hasToolTurns && capabilities.toolRole !== false) return { toolRole: false };
  if (capabilities.systemRole !== false) return { systemRole: false };
  return hasTools ? { nativeTools: false } : null;
}

/** Optional fields. Without them a request has the same or nearly the same meaning. */
const SPARE_FIELDS = [
  'cache_prompt',
  'chat_template_kwargs',
  'min_p',
  'parallel_tool_calls',
  'repeat_penalty',
  'return_progress',
  'seed',
  'stream_options',
  'temperature',
  'top_k',
  'top_p',
] as const;
const BAD_REQUEST: ReadonlySet<unknown> = new Set([400, 422]);

/** Returns the fields that a strict server does not know, according to its error; null if none of them is optional. */
function refusedFields(
  { facts }: AishError,
  { refusedFields: known = [] }: ModelCapabilities,
): Partial<ModelCapabilities> | null {
  const { status, message } = facts;
  if (!BAD_REQUEST.has(status) || typeof message !== 'string') return null;
  const named = SPARE_FIELDS.filter((field) => new RegExp(`\\b${field}\\b`).test(message) && !known.includes(field));
  return named.length === 0 ? null : { refusedFields: [...known, ...named] };
}
