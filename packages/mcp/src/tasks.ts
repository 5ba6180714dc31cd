import {
  CLIENT_CAPABILITIES_META_KEY,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequests,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import { told } from './protocol-error.js';

/** The extension `tasks` of the protocol (SEP-2663), which the SDK has names for and no runtime. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** What is said of a task whenever it is named. Times are ISO 8601, durations whole milliseconds. */
export interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** From `createdAt`; null: for good. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** A task as a poll answers it. */
export type DetailedTask =
  | (Task & { readonly status: 'working' | 'cancelled' })
  | (Task & { readonly status: 'input_required'; readonly inputRequests: InputRequests })
  | (Task & { readonly status: 'completed'; readonly result: CallToolResult })
  | (Task & { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } });

/** What a client answers to a question of a task: as to an elicitation. */
export const TaskAnswer = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).optional(),
});
export type TaskAnswer = z.infer<typeof TaskAnswer>;

/** Where tasks are found. None of it waits for a task to get on. */
export interface TaskSource {
  /** @param canElicit whether the client can put a form before a person. @returns null for one that is not there for this caller. */
  get(taskId: string, canElicit: boolean): Promise<DetailedTask | null>;
  /** Answers questions by their keys, where these are open. @returns false for a task that is not there. */
  update(taskId: string, answers: Readonly<Record<string, unknown>>): Promise<boolean>;
  /** Ends it, unless it has ended. @returns false for a task that is not there. */
  cancel(taskId: string): Promise<boolean>;
}

const OneTask = z.looseObject({ taskId: z.string().max(200) });

/** Serves the tasks of this source to clients that declare the extension, and to no others. */
export function serveTasks({ server }: McpServer, source: TaskSource, onError: (error: unknown) => void): void {
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  server.setRequestHandler('tasks/get', { params: OneTask }, async ({ taskId }, context) => {
    requireTasks(context);
    const task = await told(onError, () => source.get(taskId, canElicit(capabilitiesOf(context))));
    if (task === null) throw unknownTask();
    // The result of a call as the call itself would have had it: the SDK stamps only what it answers with.
    return task.status === 'completed' ? { ...task, result: { resultType: 'complete', ...task.result } } : { ...task };
  });
  server.setRequestHandler('tasks/update', { params: OneTask }, async ({ taskId }, context) => {
    requireTasks(context);
    const { inputResponses: answers } = context.mcpReq;
    if (answers === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'inputResponses are missing');
    if (!(await told(onError, () => source.update(taskId, answers)))) throw unknownTask();
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: OneTask }, async ({ taskId }, context) => {
    requireTasks(context);
    if (!(await told(onError, () => source.cancel(taskId)))) throw unknownTask();
    return {};
  });
}

/** A question of a task: a form for a person. @param schema that of an elicitation: an object of plain values */
export function questionForm(message: string, schema: Readonly<Record<string, unknown>>): InputRequest {
  const request = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: schema } };
  return request as InputRequest; // the SDK describes forms more narrowly than the protocol
}

/** Whether the answer to this request may be a task. */
export function takesTasks(context: ServerContext): boolean {
  return capabilitiesOf(context)?.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** The answer to a call that has become a task. */
export function taskCreated(task: Task): CallToolResult {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  const told = statusMessage === undefined ? {} : { statusMessage };
  // The SDK checks what a tool answers against the only shape that it knows, which has a content.
  return { resultType: 'task', content: [], taskId, status, ...told, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
}

/** @throws MissingRequiredClientCapabilityError */
export function requireTasks(context: ServerContext): void {
  if (takesTasks(context)) return;
  throw new MissingRequiredClientCapabilityError(
    { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
    `This needs a client that declares ${TASKS_EXTENSION}`,
  );
}

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities | undefined {
  const envelope = mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined;
  return envelope?.[CLIENT_CAPABILITIES_META_KEY];
}

/** A client that says no more than `elicitation` means forms. */
function canElicit(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task');
}
