import * as z from 'zod';
import type { Verdict } from './decisions.js';

/** What a tool's author says of it. A hint: believed only of servers that the configuration marks as trusted. */
export const ToolAnnotations = z.object({
  title: z.string().optional(),
  readOnlyHint: z.boolean().optional(),
  destructiveHint: z.boolean().optional(),
  idempotentHint: z.boolean().optional(),
  openWorldHint: z.boolean().optional(),
});
export type ToolAnnotations = z.infer<typeof ToolAnnotations>;

/**
 * A tool as it is offered to a model. `name` is what goes on the wire (`alias__tool`: function names allow no dot),
 * `label` what people and policies say (`alias.tool`).
 */
export const ToolSpec = z
  .object({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    label: z.string().max(256),
    description: z.string(),
    /** JSON schema of the arguments; always an object's. */
    inputSchema: z.record(z.string(), z.unknown()),
    annotations: ToolAnnotations,
    /** Whether its annotations may be believed. */
    trusted: z.boolean(),
    /** Of aish's own: what it overwrites is kept and can be had back, so that no call of it destroys anything. */
    keepsOld: z.boolean().optional(),
    /** Of aish's own: there is nothing yet for it to find, so requests do not describe it. A call is made all the same. */
    holdsNothing: z.boolean().optional(),
  })
  .meta({ id: 'ToolSpec' });
export type ToolSpec = z.infer<typeof ToolSpec>;

/** A model's request for a tool. `arguments` is the text that the model wrote; it need not be JSON. */
export const ToolCall = z.object({ id: z.string(), name: z.string(), arguments: z.string() }).meta({ id: 'ToolCall' });
export type ToolCall = z.infer<typeof ToolCall>;

/** What a tool answered with besides text: kept, shown to people, not put before the model as it is. */
export const ToolAttachment = z
  .object({
    kind: z.enum(['image', 'audio', 'resource', 'link']),
    /** What a person would call it: the name or URI that the tool gave. */
    label: z.string().max(2_048),
    mimeType: z.string().max(256).nullable(),
    /** Base64 of its bytes; null for a link, or when it was left out because of its size. */
    data: z.string().nullable(),
    sizeBytes: z.int(),
    /** By which it can be had once it is kept: `GET /v1/sessions/:ref/results/:handle`. */
    handle: z.string().optional(),
  })
  .meta({ id: 'ToolAttachment' });
export type ToolAttachment = z.infer<typeof ToolAttachment>;

/** What a tool asks of a person while it is called. Data from a server: shown as such, never followed. */
export const Elicitation = z
  .object({
    /** `form` asks for values that fit `requestedSchema`; `url` asks to open a page and to say when that is done. */
    mode: z.enum(['form', 'url']),
    message: z.string(),
    /** A flat JSON schema of the values; null for `url`. */
    requestedSchema: z.record(z.string(), z.unknown()).nullable(),
    url: z.string().nullable(),
  })
  .meta({ id: 'Elicitation' });
export type Elicitation = z.infer<typeof Elicitation>;

/** `decline`: a person said no. `cancel`: nobody answered. `content` holds the values of `accept`. */
export const ElicitationAnswer = z
  .object({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())])).optional(),
  })
  .meta({ id: 'ElicitationAnswer' });
export type ElicitationAnswer = z.infer<typeof ElicitationAnswer>;

/** A task that a server made of a call. The task runs on the server, even if nobody waits for it. */
export const ServerTask = z
  .object({
    /** Its server, and what tells it from another one under the same name. */
    alias: z.string(),
    endpoint: z.string(),
    taskId: z.string(),
    /** How long to wait before it is asked after, milliseconds. */
    pollMs: z.int(),
    /** When it is given up. */
    until: z.iso.datetime(),
    /** What its server says of it. */
    note: z.string().nullable(),
    /** Names of its questions that have their answers. */
    answered: z.array(z.string()),
  })
  .meta({ id: 'ServerTask' });
export type ServerTask = z.infer<typeof ServerTask>;

/** A call that ended because its question is answered later, or because it goes on as a task. To go on, call again with `resume`. */
export const PendingInput = z
  .object({
    questions: z.record(z.string(), Elicitation),
    /** Handed back as it is. */
    state: z.string(),
    /** Whether the call starts over after the answer, so that its effects before the question happen again. */
    restarts: z.boolean(),
    /** Answers so far, by the names of their questions: people are asked one after the other. */
    answers: z.record(z.string(), ElicitationAnswer).optional(),
    /** What the call has become: that is asked after, and the call is not made again. */
    task: ServerTask.optional(),
  })
  .meta({ id: 'PendingInput' });
export type PendingInput = z.infer<typeof PendingInput>;

/** Of a call that has become a task. */
export type PendingTask = PendingInput & { readonly task: ServerTask };

/** The question that is to be asked next, or null when all have their answer. */
export function openQuestion({
  questions,
  answers = {},
}: PendingInput): { name: string; question: Elicitation } | null {
  const open = Object.entries(questions).find(([name]) => answers[name] === undefined);
  return open === undefined ? null : { name: open[0], question: open[1] };
}

/** The task that is to be asked after as it stands, with no question open. */
export function openTask(pending: PendingInput | undefined): ServerTask | null {
  return pending?.task === undefined || openQuestion(pending) !== null ? null : pending.task;
}

/** The same with the answer to the question that was asked. */
export function withAnswer(pending: PendingInput, answer: ElicitationAnswer): PendingInput {
  const open = openQuestion(pending);
  return open === null ? pending : { ...pending, answers: { ...pending.answers, [open.name]: answer } };
}

/** A question as a decision shows it: what is asked, and the schema of the values that are wanted, if any are. */
export function shownQuestion({ message, url, requestedSchema }: Elicitation): {
  readonly action: string;
  readonly request: Readonly<Record<string, unknown>> | null;
} {
  return { action: url === null ? message : `${message}\n${url}`, request: requestedSchema };
}

/** A verdict on a question, in the words of the protocol: to skip is to decline, to abort is to cancel the question alone. */
export function elicitationAnswer(
  verdict: Verdict,
  values: Readonly<Record<string, unknown>> | null,
): ElicitationAnswer {
  if (verdict === 'skip') return { action: 'decline' };
  if (verdict !== 'proceed') return { action: 'cancel' };
  return ElicitationAnswer.parse({ action: 'accept', content: values ?? {} });
}

/**
 * What a tool answered. Data, never instructions. An error of the tool is an answer, too. `text` is complete up to the
 * provider's bound (`omittedBytes` gives the number of missing bytes). It is shortened further before a model sees it.
 */
export const ToolResult = z
  .object({
    text: z.string(),
    isError: z.boolean(),
    omittedBytes: z.int().default(0),
    attachments: z.array(ToolAttachment).optional(),
    /** Only when the caller's `elicit` answered null: the tool has not ended its work. */
    pending: PendingInput.optional(),
  })
  .meta({ id: 'ToolResult' });
export type ToolResult = z.infer<typeof ToolResult>;

/** For whom a tool is called. */
export interface ToolContext {
  readonly sessionId: string;
  /** The token's name in a chat, the creator's in a goal: whose memory and knowledge it is. */
  readonly owner: string;
  readonly goalId: string | null;
}

export interface ToolProgress {
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface ToolLogLine {
  /** As in syslog: debug, info, notice, warning, error, critical, alert, emergency. */
  readonly level: string;
  readonly text: string;
}

/** What a caller may add to a call. Callbacks must not throw; what they are given is data. */
export interface ToolCallOptions {
  onProgress?(progress: ToolProgress): void;
  onLog?(line: ToolLogLine): void;
  /**
   * Asks a person. Null means that the answer comes later: the call ends with `pending`. The signal aborts when the
   * tool no longer waits: then nobody needs to be asked. Absent: the tool is told that nobody is there (`cancel`).
   * `isResumable`: the call can go on later where it stood; else it stays open for as long as this takes.
   */
  elicit?(question: Elicitation, signal: AbortSignal, isResumable: boolean): Promise<ElicitationAnswer | null>;
  /**
   * When a task that the call becomes is given up, milliseconds from then: the call ends with it as `pending`. Absent: the
   * provider waits for its end.
   */
  readonly taskMaxMs?: number;
  /** Goes on with a call that ended with `pending`: the same call, the answers by the names of its questions. */
  readonly resume?: { readonly state: string; readonly answers: Readonly<Record<string, ElicitationAnswer>> };
}

/**
 * Where tools come from: an MCP server's session, the memory, the knowledge base. The tools of a provider are sorted by
 * name. `call` answers with `isError` for what the tool refuses and throws AishError for what keeps it from answering:
 * `mcp_lost` where it may have been carried out.
 */
export interface ToolProvider {
  readonly name: string;
  tools(context: ToolContext): Promise<readonly ToolSpec[]>;
  call(call: ToolCall, context: ToolContext, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult>;
  /** Asks once after the task that a call has become; `pending` again while it goes on. Null: it is of no server here. */
  askAfter?(pending: PendingTask, signal: AbortSignal, options?: ToolCallOptions): Promise<ToolResult | null>;
  /** Differs whenever the list of tools may differ; absent: they never change. */
  version?(): string;
  /** Calls `listener` after the list has changed; the answer ends that. */
  onToolsChanged?(listener: () => void): () => void;
}
