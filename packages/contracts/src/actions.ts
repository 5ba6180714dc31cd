import * as z from 'zod';
import { Effects, Held } from './effects.js';
import { Classification } from './safety.js';
import { ToolResult } from './tools.js';

export const ActionState = z.enum(['pending', 'halted', 'approved', 'started', 'finished', 'skipped', 'lost']);
export type ActionState = z.infer<typeof ActionState>;

export const ActionKind = z.enum(['command', 'tool']);
export type ActionKind = z.infer<typeof ActionKind>;

/** How a command ended. `exitCode` is null when it was killed before it could give one. */
export const RunOutcome = z
  .object({
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    outOfMemory: z.boolean(),
    timedOut: z.boolean(),
    cancelled: z.boolean(),
    durationMs: z.number(),
    /** What it printed, stdout and stderr as they came, cut to a bounded head and tail. */
    output: z.string(),
    /** Bytes that the cut left out of `output`. */
    omittedBytes: z.int(),
    /** What it did to its workspace; absent where nobody can tell. */
    effects: Effects.optional(),
    /** Of a command whose effects a person has, or had, to decide about. */
    held: Held.optional(),
    /** Why nobody could look at what it did before that counted; absent where somebody could. */
    unheld: z.string().optional(),
  })
  .meta({ id: 'RunOutcome' });
export type RunOutcome = z.infer<typeof RunOutcome>;

const CommandRequest = z.object({
  kind: z.literal('command'),
  command: z.string(),
  /** Whether it is the check of a goal: not the model's wish but a person's, and the last word on "done". */
  isCheck: z.boolean().optional(),
});

const ToolRequest = z.object({
  kind: z.literal('tool'),
  /** The model's id of the call; the result names it. */
  callId: z.string(),
  /** The tool's name on the wire, `alias__tool`. */
  tool: z.string(),
  /** What people and policies call it, `alias.tool`. */
  label: z.string(),
  /** As the model wrote them; they need not be JSON. */
  arguments: z.string(),
  /** Whether a trusted server says that it only reads: such calls may go side by side, and be made again. */
  readOnly: z.boolean().optional(),
});

/** What an answer of the model asks for: one `CMD:` line or one tool call. */
export const ActionRequest = z.discriminatedUnion('kind', [CommandRequest, ToolRequest]);
export type ActionRequest = z.infer<typeof ActionRequest>;

const stored = {
  id: z.uuid(),
  stepNumber: z.int(),
  /** Position within its step, from 1. */
  n: z.int(),
  state: ActionState,
  classification: Classification.nullable(),
  /** Why it was not run, where it was not and that is known. */
  skipReason: z.string().optional(),
  /** How a command ended. */
  outcome: RunOutcome.nullable(),
  /** What a tool answered. */
  result: ToolResult.nullable(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
};

/** One action of a step of a session. The id of a command is its run id in the sandbox. */
export const Action = z
  .discriminatedUnion('kind', [
    z.object({ ...CommandRequest.shape, ...stored }),
    z.object({ ...ToolRequest.shape, ...stored }),
  ])
  .meta({ id: 'Action' });
export type Action = z.infer<typeof Action>;

/** An action in one text, as events and decisions show it: the command, or the tool's label and its arguments. */
export function actionText(request: ActionRequest): string {
  return request.kind === 'command' ? request.command : `${request.label} ${request.arguments}`;
}

/** Lines of what an action printed or answered, as far as it is kept. Lines are those of `outputLines`. */
export const ActionOutput = z
  .object({
    actionId: z.uuid(),
    /** The command, or the tool and its arguments. */
    action: z.string(),
    /** These lines, as they are. */
    output: z.string(),
    /** The number of the first of them, from 1. */
    from: z.int(),
    /** How many lines there are in all. */
    lines: z.int(),
    /** Number of bytes omitted from the middle. A line with `…` marks the gap. */
    omittedBytes: z.int(),
  })
  .meta({ id: 'ActionOutput' });
export type ActionOutput = z.infer<typeof ActionOutput>;

const lineNumber = z.coerce.number().int().min(1).max(1_000_000_000);

/** Which lines. A page ends earlier where they are long. */
export const ReadOutput = z.strictObject({
  from: lineNumber.default(1),
  limit: z.coerce.number().int().min(1).max(10_000).default(10_000),
});
export type ReadOutput = z.infer<typeof ReadOutput>;

/** Case counts only where the text has capitals. After the last line the first one is next. */
export const FindInOutput = z.strictObject({
  text: z.string().min(1).max(1_000),
  /** The first line that is looked at. */
  from: lineNumber.default(1),
  /** Upwards. */
  back: z.union([z.boolean(), z.stringbool()]).default(false),
});
export type FindInOutput = z.infer<typeof FindInOutput>;

/** The line that has the text; null when none has it. */
export const FoundInOutput = z.object({ line: z.int().nullable() }).meta({ id: 'FoundInOutput' });
export type FoundInOutput = z.infer<typeof FoundInOutput>;
