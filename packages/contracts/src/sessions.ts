import * as z from 'zod';
import { ToolCall } from './tools.js';

export const SessionKind = z.enum(['chat', 'goal']);
export type SessionKind = z.infer<typeof SessionKind>;

/** Who a turn is from: a person, the model, a tool's result, a command's output, or aish itself (`notice`). */
export const TurnRole = z.enum(['user', 'assistant', 'tool', 'output', 'notice']);
export type TurnRole = z.infer<typeof TurnRole>;

/** Whose words something is. `tool`: a tool, a command's output or another program. */
export const Provenance = z.enum(['person', 'model', 'tool', 'aish']);

/** Words of one author in a turn that holds words of several. */
export const TurnPart = z.object({
  provenance: Provenance,
  text: z.string(),
  /** A person's refusal: what they refused, or what they said with it. It never permits anything. */
  isRefusal: z.literal(true).optional(),
});
export type TurnPart = z.infer<typeof TurnPart>;

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
  .object({
    seq: z.int(),
    role: TurnRole,
    /** Whose words it is. aish writes it with the turn and never derives it from the words. */
    provenance: Provenance,
    content: z.string(),
    /** Whose words it quotes. Where there are parts, they count for their authors and the rest is aish's. */
    parts: z.array(TurnPart).optional(),
    meta: TurnMeta.optional(),
  })
  .meta({ id: 'Turn' });
export type Turn = z.infer<typeof Turn>;
/** Whose words a text is. */
export const TextAuthor = Turn.pick({ provenance: true, parts: true });
export type TextAuthor = z.infer<typeof TextAuthor>;
/** A turn that has no sequence number in its session yet. */
export type NewTurn = Omit<Turn, 'seq'>;
/** What the model sees of a turn. */
export type ShownTurn = Omit<Turn, 'provenance' | 'parts'>;
