import * as z from 'zod';
import { ToolCall } from './tools.js';

export const SessionKind = z.enum(['chat', 'goal']);
export type SessionKind = z.infer<typeof SessionKind>;

/** The author of a turn: a person, the model, a tool's result, a command's output, or aish itself (`notice`). */
export const TurnRole = z.enum(['user', 'assistant', 'tool', 'output', 'notice']);
export type TurnRole = z.infer<typeof TurnRole>;

/** Where a text came from. `tool`: a tool, a command's output or another program. */
export const Provenance = z.enum(['person', 'model', 'tool', 'aish']);

/** The part of a turn that one author wrote, if the turn has several authors. */
export const TurnPart = z.object({
  provenance: Provenance,
  text: z.string(),
  /** Marks a person's refusal: what they refused, or what they said about it. It never permits anything. */
  isRefusal: z.literal(true).optional(),
});
export type TurnPart = z.infer<typeof TurnPart>;

/** The parts of a turn beside its text: the tool calls of an answer, and for a `tool` turn the call that it answers. */
export const TurnMeta = z.object({
  toolCalls: z.array(ToolCall).optional(),
  toolCallId: z.string().optional(),
  /** Keeps the turn in the window when older turns are dropped. */
  isPinned: z.boolean().optional(),
  isError: z.boolean().optional(),
  /** Marks a summary that `summarize` asked the model for. It is stored, and the model never sees it again. */
  tag: z.literal('summarize').optional(),
  /** The tool's name on the wire. Set for a tool's result. */
  toolName: z.string().optional(),
  /** How an answer ended if it is incomplete, what the model thought, and which model it was. */
  end: z.enum(['length', 'stopped', 'interrupted', 'failed']).optional(),
  reasoning: z.string().optional(),
  model: z.string().optional(),
});
export type TurnMeta = z.infer<typeof TurnMeta>;

export const Turn = z
  .object({
    seq: z.int(),
    role: TurnRole,
    /** The provenance of the text. aish stores it with the turn and never derives it from the text. */
    provenance: Provenance,
    content: z.string(),
    /** The parts of the text that quote others. They count as their authors' words. aish wrote the rest. */
    parts: z.array(TurnPart).optional(),
    meta: TurnMeta.optional(),
  })
  .meta({ id: 'Turn' });
export type Turn = z.infer<typeof Turn>;
/** The provenance of a text. */
export const TextAuthor = Turn.pick({ provenance: true, parts: true });
export type TextAuthor = z.infer<typeof TextAuthor>;
/** A turn that has no sequence number in its session yet. */
export type NewTurn = Omit<Turn, 'seq'>;
/** The part of a turn that the model sees. */
export type ShownTurn = Omit<Turn, 'provenance' | 'parts'>;
