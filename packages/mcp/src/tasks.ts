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
import { withProtocolErrors } from './protocol-error.js';

/** The protocol extension `tasks` (SEP-2663), which the SDK names but does not implement. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The fields of a task in every message. Times are ISO 8601, durations are whole milliseconds. */
export interface Task {
  readonly taskId: string;
  readonly status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';
  readonly statusMessage?: string;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  /** The lifetime from `createdAt`; null if it is unlimited. */
  readonly ttlMs: number | null;
  readonly pollIntervalMs: number;
}

/** A task in the answer to a poll. */
export type DetailedTask =
  | (Task & { readonly status: 'working' | 'cancelled' })
  | (Task & { readonly status: 'input_required'; readonly inputRequests: InputRequests })
  | (Task & { readonly status: 'completed'; readonly result: CallToolResult })
  | (Task & { readonly status: 'failed'; readonly error: { readonly code: number; readonly message: string } });

/** A client's answer to a question of a task, as for an elicitation. */
export const TaskAnswer = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).optional(),
});
export type TaskAnswer = z.infer<typeof TaskAnswer>;

/** A source of tasks. None of its methods waits for a task. */
export interface TaskSource {
  /**
   * Returns a task.
   *
   * @param canElicit whether the client can show a form to a person.
   * @returns null if the task does not exist for this caller.
   */
  get(taskId: string, canElicit: boolean): Promise<DetailedTask | null>;
  /**
   * Answers open questions by their keys.
   *
   * @returns false if the task does not exist.
   */
  update(taskId: string, answers: Readonly<Record<string, unknown>>): Promise<boolean>;
  /**
   * Cancels a task, unless it has ended.
   *
   * @returns false if the task does not exist.
   */
  cancel(taskId: string): Promise<boolean>;
}

const OneTask = z.looseObject({ taskId: z.string().max(200) });

/** Serves the tasks of this source to clients that declare the extension, and to no others. */
export function serveTasks({ server }: McpServer, source: TaskSource, onError: (error: unknown) => void): void {
  server.registerCapabilities({ extensions: { [TASKS_EXTENSION]: {} } });
  server.setRequestHandler('tasks/get', { params: OneTask }, async ({ taskId }, context) => {
    requireTasks(context);
    const task = await withProtocolErrors(onError, () => source.get(taskId, canElicit(capabilitiesOf(context))));
    if (task === null) throw unknownTask();
    // The result is the same as from the call itself. The SDK stamps only direct answers.
    return task.status === 'completed' ? { ...task, result: { resultType: 'complete', ...task.result } } : { ...task };
  });
  server.setRequestHandler('tasks/update', { params: OneTask }, async ({ taskId }, context) => {
    requireTasks(context);
    const { inputResponses: answers } = context.mcpReq;
    if (answers === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'inputResponses are missing');
    if (!(await withProtocolErrors(onError, () => source.update(taskId, answers)))) throw unknownTask();
    return {};
  });
  server.setRequestHandler('tasks/cancel', { params: OneTask }, async ({ taskId }, context) => {
    requireTasks(context);
    if (!(await withProtocolErrors(onError, () => source.cancel(taskId)))) throw unknownTask();
    return {};
  });
}

/**
 * Makes a question of a task: a form for a person.
 *
 * @param schema as for an elicitation: an object of plain values
 */
export function questionForm(message: string, schema: Readonly<Record<string, unknown>>): InputRequest {
  const request = { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: schema } };
  return request as InputRequest; // The SDK describes forms more narrowly than the protocol.
}

/** Whether the answer to this request may be a task. */
export function takesTasks(context: ServerContext): boolean {
  return capabilitiesOf(context)?.extensions?.[TASKS_EXTENSION] !== undefined;
}

/** Returns the answer to a call that became a task. */
export function taskCreated(task: Task): CallToolResult {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  const optional = statusMessage === undefined ? {} : { statusMessage };
  // The SDK validates a tool's answer against the only form that it knows, which has a content.
  return {
    resultType: 'task',
    content: [],
    taskId,
    status,
    ...optional,
    createdAt,
    lastUpdatedAt,
    ttlMs,
    pollIntervalMs,
  };
}

/**
 * Requires that the client supports tasks.
 *
 * @throws MissingRequiredClientCapabilityError
 */
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

/** Whether the client can show forms. A client that declares only `elicitation` means forms. */
function canElicit(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function unknownTask(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such task');
}
