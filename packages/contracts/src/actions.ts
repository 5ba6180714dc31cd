import { z } from 'zod';
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

/** All that is stored of what an action printed or answered. */
export const ActionOutput = z
  .object({
    actionId: z.uuid(),
    /** The command, or the tool and its arguments. */
    action: z.string(),
    output: z.string(),
    /** Bytes that are stored nowhere, of its middle. */
    omittedBytes: z.int(),
  })
  .meta({ id: 'ActionOutput' });
export type ActionOutput = z.infer<typeof ActionOutput>;
