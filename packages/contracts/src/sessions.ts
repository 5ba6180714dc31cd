import { z } from 'zod';
import { ToolCall } from './tools.js';

export const SessionKind = z.enum(['chat', 'goal']);
export type SessionKind = z.infer<typeof SessionKind>;

/** Who a turn is from: a person, the model, a tool's result, a command's output, or aish itself (`notice`). */
export const TurnRole = z.enum(['user', 'assistant', 'tool', 'output', 'notice']);
export type TurnRole = z.infer<typeof TurnRole>;

/** What a turn carries beside its text: the tool calls of an answer, and whose result a `tool` turn is. */
export const TurnMeta = z.object({
  toolCalls: z.array(ToolCall).optional(),
  toolCallId: z.string().optional(),
  /** Stays in the window when older turns are left out. */
  isPinned: z.boolean().optional(),
  isError: z.boolean().optional(),
  /** What `summarize` had the model say: on record, and read back by nobody. */
  tag: z.literal('summarize').optional(),
  /** Of a tool's result: the tool's name on the wire. */
  toolName: z.string().optional(),
  /** Of an answer: how it ended, if not as a whole; what the model thought; who it was. */
  end: z.enum(['length', 'stopped', 'interrupted', 'failed']).optional(),
  reasoning: z.string().optional(),
  model: z.string().optional(),
});
export type TurnMeta = z.infer<typeof TurnMeta>;

export const Turn = z
  .object({ seq: z.int(), role: TurnRole, content: z.string(), meta: TurnMeta.optional() })
  .meta({ id: 'Turn' });
export type Turn = z.infer<typeof Turn>;
