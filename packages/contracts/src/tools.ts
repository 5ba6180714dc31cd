import * as z from 'zod';
import type { Verdict } from './decisions.js';

/** Hints from the tool's author. aish believes them only if the configuration marks the server as trusted. */
export const ToolAnnotations = z.object({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;

/**
 * A tool as a model sees it. Requests to the model use `name` (`alias__tool`, because function names must not contain a
 * dot). People and policies use `label` (`alias.tool`).
 */
export const ToolSpec = z
  .object({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    label: z.string().max(256),
    description: z.string(),
    /** JSON schema of the arguments, always an object. */
    inputSchema: z.record(z.string(), z.unknown()),
    annotations: ToolAnnotations,
    /** Whether the annotations of the tool can be believed. */
    trusted: z.boolean(),
    /**
     * Set for those of aish's own tools that keep overwritten data, so that it can be restored and no call destroys
     * anything.
     */
    keepsOld: z.boolean().optional(),
    /**
     * Set for those of aish's own tools that have no data yet, so that requests do not describe them. Calls still work.
     */
    holdsNothing: z.boolean().optional(),
  })
  .meta({ id: 'ToolSpec' });
export type ToolSpec = z.infer<typeof ToolSpec>;

/** A model's request for a tool. `arguments` is the text that the model wrote. It may be invalid JSON. */
export const ToolCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() }).meta({ id: 'ToolCall' });
export type ToolCall = z.infer<typeof ToolCall>;

/** Non-text content of a tool's answer. It is stored and shown to people, but the model does not get it directly. */
export const ToolAttachment = z
  .object({
    kind: z.enum(['image', 'audio', 'resource', 'link']),
    /** The name or URI that the tool gave. */
    label: z.string().max(2_048),
    mimeType: z.string().max(256).nullable(),
    /** The content in Base64; null for a link, or if it was too large. */
    data: z.string().nullable(),
    sizeBytes: z.int(),
    /** The handle for the download from `GET /v1/sessions/:ref/results/:handle`. */
    handle: z.string().optional(),
  })
  .meta({ id: 'ToolAttachment' });
export type ToolAttachment = z.infer<typeof ToolAttachment>;

/**
 * A tool's question to a person during a call. It is data from a server, so aish shows it as such and never follows it.
 */
export const Elicitation = z
  .object({
    /**
     * `form` asks for values that match `requestedSchema`; `url` asks the person to open a page and confirm when done.
     */
    mode: z.enum(['form', 'url']),
    message: z.string(),
    /** A flat JSON schema of the values; null for the mode `url`. */
    requestedSchema: z.record(z.string(), z.unknown()).nullable(),
    url: z.string().nullable(),
  })
  .meta({ id: 'Elicitation' });
export type Elicitation = z.infer<typeof Elicitation>;

/** `decline`: a person said no. `cancel`: nobody answered. `content` has the values for `accept`. */
export const ElicitationAnswer = z
  .object({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  })
  .meta({ id: 'ElicitationAnswer' });
export type ElicitationAnswer = z.infer<typeof ElicitationAnswer>;

/** A task that a server created for a call. The task runs on the server, even if nobody waits for it. */
export const ServerTask = z
  .object({
    /**
     * The alias and the endpoint of the server. The endpoint distinguishes it from another server with the same alias.
     */
    alias: z.string(),
    endpoint: z.string(),
    taskId: z.string(),
    /** Milliseconds to wait before the next poll. */
    pollMs: z.int(),
    /** When aish stops waiting for the task. */
    until: z.iso.datetime(),
    /** The server's note about the task. */
    note: z.string().nullable(),
    /** Names of its questions that have been answered. */
    answered: z.array(z.string()),
  })
  .meta({ id: 'ServerTask' });
export type ServerTask = z.infer<typeof ServerTask>;

/**
 * A call that ended because its question will be answered later, or because it continues as a task. To continue, call
 * again with `resume`.
 */
export const PendingInput = z
  .object({
    questions: z.record(z.string(), Elicitation),
    /** The server's state of the call. aish sends it back unchanged. */
    state: z.string(),
    /**
     * Whether the call starts over after the answer, so that everything that it did before the question happens again.
     */
    restarts: z.boolean(),
    /** Answers so far, by the names of their questions. People are asked one question after another. */
    answers: z.record(z.string(), ElicitationAnswer).optional(),
    /** The task that the call became. aish polls it and does not repeat the call. */
    task: ServerTask.optional(),
  })
  .meta({ id: 'PendingInput' });
export type PendingInput = z.infer<typeof PendingInput>;

/** A call that became a task. */
export type PendingTask = PendingInput & { readonly task: ServerTask };

/** The next question, or null if all are answered. */
export function openQuestion({
  questions,
  answers = {},
}: PendingInput): { name: string; question: Elicitation } | null {
  const open = Object.entries(questions).find(([name]) => answers[name] === undefined);
  return open === undefined ? null : { name: open[0], question: open[1] };
}

/** The task to poll, if no question is open. */
export function openTask(pending: PendingInput | undefined): ServerTask | null {
  return pending?.task === undefined || openQuestion(pending) !== null ? null : pending.task;
}

/** Returns the call with the answer to the current question added. */
export function withAnswer(pending: PendingInput, answer: ElicitationAnswer): PendingInput {
  const open = openQuestion(pending);
  return open === null ? pending : { ...pending, answers: { ...pending.answers, [open.name]: answer } };
}

/** Returns a question as a decision shows it: the message, and the schema of the requested values, if any. */
export function shownQuestion({ message, url, requestedSchema }: Elicitation): {
  readonly action: string;
  readonly request: Readonly<Record<string, unknown>> | null;
} {
  return { action: url === null ? message : `${message}\n${url}`, request: requestedSchema };
}

/**
 * Translates a verdict on a question into the words of the protocol: `skip` declines, `abort` cancels only the
 * question.
 */
export function elicitationAnswer(
  verdict: Verdict,
  values: Readonly<Record<string, unknown>> | null,
): ElicitationAnswer {
  if (verdict === 'skip') return { action: 'decline' };
  if (verdict !== 'proceed') return { action: 'cancel' };
  return ElicitationAnswer.parse({ action: 'accept', content: values ?? {} });
}

/**
 * The answer of a tool. It is data, never instructions. An error of the tool is an answer, too. `text` is complete up
 * to the provider's limit (`omittedBytes` gives the number of missing bytes). aish shortens it further before a model
 * sees it.
 */
export const ToolResult = z
  .object({
    text: z.string(),
    isError: z.boolean(),
    omittedBytes: z.int().default(0),
    attachments: z.array(ToolAttachment).optional(),
    /** Set only if the caller's `elicit` returned null, so that the tool has not finished. */
    pending: PendingInput.optional(),
  })
  .meta({ id: 'ToolResult' });
export type ToolResult = z.infer<typeof ToolResult>;

/** Identifies the caller of a tool. */
export interface ToolContext {
  readonly sessionId: string;
  /** The owner of the memory and the knowledge: the token's name in a chat, the creator's in a goal. */
  readonly owner: string;
  readonly goalId: string | null;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface ToolLogLine {
  /** The level as in syslog: debug, info, notice, warning, error, critical, alert, emergency. */
  readonly level: string;
  readonly text: string;
}

/** Options of a call. Callbacks must not throw. Their arguments are data. */
export interface ToolCallOptions {
  onProgress?(progress: ToolProgress): void;
  onLog?(line: ToolLogLine): void;
  /**
   * Asks a person. Null means that the answer comes later, and the call ends with `pending`. The signal aborts when the
   * tool no longer waits, so that the question can be withdrawn. If `elicit` is absent, the tool gets `cancel`, because
   * nobody can answer. `isResumable` means that the call can continue later at the same place; otherwise it stays open
   * until the answer.
   */
  elicit?(question: Elicitation, signal: AbortSignal, isResumable: boolean): Promise<ElicitationAnswer | null>;
  /**
   * Milliseconds that aish waits for a task that the call becomes. After that, the call ends with the task as
   * `pending`. If absent, the provider waits until the task ends.
   */
  readonly taskMaxMs?: number;
  /** Continues a call that ended with `pending`: the same call, with answers by the names of its questions. */
  readonly resume?: { readonly state: string; readonly answers: Readonly<Record<string, ElicitationAnswer>> };
}

/**
 * A source of tools: an MCP server's session, the memory, the knowledge base. The tools of a provider are sorted by
 * name. `call` returns `isError` if the tool refuses something, and throws AishError if the tool cannot answer.
 * `mcp_lost` means that the call may have been carried out.
 */
export interface ToolProvider {
  readonly name: string;
  tools(context: ToolContext): Promise<readonly ToolSpec[]>;
  call(call: ToolCall, context: ToolContext, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult>;
  /**
   * Polls the task of a call once. Returns `pending` while the task continues, and null if the task belongs to no
   * server here.
   */
  askAfter?(pending: PendingTask, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult | null>;
  /** Returns a value that changes whenever the list of tools may have changed. If absent, the list never changes. */
  version?(): string;
  /** Calls `listener` after the list has changed. The returned function unsubscribes. */
  onToolsChanged?(listener: () => void): () => void;
}
