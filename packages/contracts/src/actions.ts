import * as z from 'zod';
import { Effects, Held } from './effects.js';
import { COMMAND_MAX_CHARS } from './limits.js';
import { Classification } from './safety.js';
import { ToolResult } from './tools.js';

export const ActionState = z.enum(['pending', 'halted', 'approved', 'started', 'finished', 'skipped', 'lost']);
export type ActionState = z.infer<typeof ActionState>;

export const ActionKind = z.enum(['command', 'tool']);
export type ActionKind = z.infer<typeof ActionKind>;

/** How a command ended. `exitCode` is null if the command was killed before it could exit. */
export const RunOutcome = z
  .object({
    exitCode: z.int().nullable(),
    signal: z.string().nullable(),
    outOfMemory: z.boolean(),
    timedOut: z.boolean(),
    cancelled: z.boolean(),
    durationMs: z.number(),
    /** Stdout and stderr in the order they came, cut to a bounded head and tail. */
    output: z.string(),
    /** Number of bytes missing from `output`. */
    omittedBytes: z.int(),
    /** The changes of the command in its workspace; absent if unknown. */
    effects: Effects.optional(),
    /** Set if a person must decide, or has decided, about the command's changes. */
    held: Held.optional(),
    /** Why the changes could not be checked before they took effect; absent if they were checked. */
    unheld: z.string().optional(),
  })
  .meta({ id: 'RunOutcome' });
export type RunOutcome = z.infer<typeof RunOutcome>;

/** A command that a person runs in the workspace of a session. */
export const RunCommand = z
  .strictObject({ command: z.string().trim().min(1).max(COMMAND_MAX_CHARS) })
  .meta({ id: 'RunCommand' });
export type RunCommand = z.infer<typeof RunCommand>;

const CommandRequest = z.object({
  kind: z.literal('command'),
  command: z.string(),
  /**
   * Whether the command is the check of a goal. A person chose it, not the model, and it alone decides about "done".
   */
  isCheck: z.boolean().optional(),
});

const ToolRequest = z.object({
  kind: z.literal('tool'),
  /** The ID that the model gave this call. The tool's result carries the same ID. */
  callId: z.string(),
  /** The tool's name on the wire, `alias__tool`. */
  tool: z.string(),
  /** The name that people and policies use, `alias.tool`. */
  label: z.string(),
  /** The arguments as the model wrote them. They may be invalid JSON. */
  arguments: z.string(),
  /** Whether a trusted server says that the tool only reads. Such calls may run in parallel and may be repeated. */
  readOnly: z.boolean().optional(),
});

/** A request in the model's answer: one `CMD:` line or one tool call. */
export const ActionRequest = z.discriminatedUnion('kind', [CommandRequest, ToolRequest]);
export type ActionRequest = z.infer<typeof ActionRequest>;

const stored = {
  id: z.uuid(),
  stepNumber: z.int(),
  /** Position within its step, from 1. */
  n: z.int(),
  state: ActionState,
  classification: Classification.nullable(),
  /** Why the action did not run; null if it ran or if the reason is unknown. */
  skipReason: z.string().optional(),
  outcome: RunOutcome.nullable(),
  result: ToolResult.nullable(),
  startedAt: z.iso.datetime().nullable(),
  endedAt: z.iso.datetime().nullable(),
};

/** One action in a step of a session. For a command, the ID is also its run ID in the sandbox. */
export const Action = z
  .discriminatedUnion('kind', [
    z.object({ ...CommandRequest.shape, ...stored }),
    z.object({ ...ToolRequest.shape, ...stored }),
  ])
  .meta({ id: 'Action' });
export type Action = z.infer<typeof Action>;

/** Returns an action as one text, as events and decisions show it: the command, or the tool's label and arguments. */
export function actionText(request: ActionRequest): string {
  return request.kind === 'command' ? request.command : `${request.label} ${request.arguments}`;
}

/** Lines of an action's stored output. `outputLines` defines what a line is. */
export const ActionOutput = z
  .object({
    actionId: z.uuid(),
    /** The command, or the tool and its arguments. */
    action: z.string(),
    /** The text of these lines, unchanged. */
    output: z.string(),
    /** The number of the first line, from 1. */
    from: z.int(),
    /** The total number of lines. */
    lines: z.int(),
    /** Number of bytes omitted from the middle. A line with `…` marks the gap. */
    omittedBytes: z.int(),
  })
  .meta({ id: 'ActionOutput' });
export type ActionOutput = z.infer<typeof ActionOutput>;

const lineNumber = z.coerce.number().int().min(1).max(1_000_000_000);

/** Selects the lines to read. If the lines are long, a page has fewer of them. */
export const ReadOutput = z.strictObject({
  from: lineNumber.default(1),
  limit: z.coerce.number().int().min(1).max(10_000).default(10_000),
});
export type ReadOutput = z.infer<typeof ReadOutput>;

/**
 * Searches an output for a text. The search ignores case unless the text contains capitals. After the last line it
 * continues at the first.
 */
export const FindInOutput = z.strictObject({
  text: z.string().min(1).max(1_000),
  /** The line where the search starts. */
  from: lineNumber.default(1),
  /** Whether to search upwards. */
  back: z.union([z.boolean(), z.stringbool()]).default(false),
});
export type FindInOutput = z.infer<typeof FindInOutput>;

/** The line that contains the text; null if no line does. */
export const FoundInOutput = z.object({ line: z.int().nullable() }).meta({ id: 'FoundInOutput' });
export type FoundInOutput = z.infer<typeof FoundInOutput>;
