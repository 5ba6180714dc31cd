import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer } from '@aish/contracts/mcp-config';
import { AishError, isAishError } from '@aish/contracts/problems';
import {
  openQuestion,
  openTask,
  type Elicitation,
  type ElicitationAnswer,
  type PendingTask,
  type ServerTask,
  type ToolCallOptions,
  type ToolResult,
} from '@aish/contracts/tools';
import {
  INTERNAL_ERROR,
  ProtocolError,
  SdkHttpError,
  isCallToolResult,
  isSpecType,
  type Client,
  type StandardSchemaV1,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import { cleanText } from './clean-text.js';
import { LIMITS } from './limits.js';
import { toElicitResult, toElicitation } from './questions.js';
import { Polled, type Created } from './task-answers.js';
import { toToolResult } from './tool-result.js';

const Anything = z.looseObject({});
const NOBODY: ElicitationAnswer = { action: 'cancel' };
const DEFAULT_POLL_MS = 5_000;
const NOTE_MAX_CHARS = 200;
/** The timeout of one poll in milliseconds. A slow server must not block a worker. */
const LOOK_MS = 15_000;

/** The part of a session that a poll uses. */
interface Asks {
  ask<T>(question: (client: Client) => Promise<T>, signal: AbortSignal): Promise<T>;
  limited(signal: AbortSignal): { readonly signal: AbortSignal; readonly timeout: number };
}

/** Connects a poll to the server of a task. */
export type Connect = (signal: AbortSignal) => Promise<Asks>;

/** Returns an identifier of a server, to distinguish it from another server that gets its name later. */
export function endpointOf(server: McpServer): string {
  const where = server.kind === 'http' ? [server.url] : [server.image, ...server.command];
  return createHash('sha256').update(JSON.stringify(where)).digest('hex').slice(0, 16);
}

/**
 * Returns the answer to a call that became a task.
 *
 * @param maxMs milliseconds until aish gives up the task
 */
export function begun(task: Created, server: McpServer, maxMs: number): ToolResult {
  const until = new Date(Date.now() + maxMs).toISOString();
  const { alias } = server;
  const known: ServerTask = {
    alias,
    endpoint: endpointOf(server),
    taskId: task.taskId,
    ...statusOf(task),
    until,
    answered: [],
  };
  return unended({ questions: {}, state: '', restarts: false, task: known });
}

/**
 * Polls a task once, after sending the answers that the task waits for. If the server is unavailable, the task counts
 * as running.
 *
 * @returns how the task ended, or `pending` with its state.
 * @throws AishError `aborted`; `mcp_refused`, `mcp_bad_answer` if it will never have a result.
 */
export async function askAfter(
  pending: PendingTask,
  connect: Connect,
  signal: AbortSignal,
  options: ToolCallOptions = {},
): Promise<ToolResult> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  let known = pending;
  try {
    const session = await connect(limit);
    known = await tell(known, session, limit);
    const polled = await request(session, 'tasks/get', { taskId: known.task.taskId }, Polled, limit);
    known = { ...known, task: { ...known.task, ...statusOf(polled) } };
    const { note } = known.task;
    if (note !== null && note !== pending.task.note) options.onLog?.({ level: 'info', text: note });
    if (polled.status === 'completed') return endOf(polled.result, known.task);
    if (polled.status === 'failed') return failure(known.task, `failed: ${oneLine(polled.error.message)}`);
    if (polled.status === 'cancelled')
      return failure(known.task, `was cancelled there${note === null ? '' : `: ${note}`}`);
    if (polled.status === 'input_required') {
      known = await ask(known, polled.inputRequests, options, limit);
      if (openQuestion(known) !== null) return unended(known);
      known = await tell(known, session, limit);
    }
  } catch (error) {
    if (signal.aborted) throw error;
    if (!isUnavailable(error)) {
      await letGo(known.task, connect, signal, options);
      throw error;
    }
  }
  if (Date.parse(known.task.until) > Date.now()) return unended(known);
  await letGo(known.task, connect, signal, options);
  return failure(known.task, `did not end by ${known.task.until}; aish stopped waiting for it`);
}

/** Polls until the task has ended or a person must be asked. The task is cancelled when `signal` aborts. */
export async function untilEnded(result: ToolResult, connect: Connect, signal: AbortSignal, options: ToolCallOptions) {
  let current = result;
  let last: ServerTask | null = null;
  try {
    for (let task = openTask(current.pending); task !== null; task = openTask(current.pending)) {
      last = task;
      await sleep(task.pollMs, undefined, { signal });
      current = await askAfter(
        { ...current.pending, questions: {}, state: '', restarts: false, task },
        connect,
        signal,
        options,
      );
    }
    return current;
  } catch (error) {
    if (!signal.aborted) throw error;
    if (last !== null) await letGo(last, connect, AbortSignal.timeout(LOOK_MS), options);
    throw isAishError(error) ? error : new AishError('aborted', 'Cancelled', {}, { cause: error });
  }
}

/** Cancels the task of a call that ends in any case. If the server cannot be told, the viewers get a message. */
async function letGo(task: ServerTask, connect: Connect, signal: AbortSignal, options: ToolCallOptions): Promise<void> {
  try {
    await cancelTask(task, connect, signal);
  } catch (error) {
    const why = error instanceof Error ? oneLine(error.message) : 'unknown';
    options.onLog?.({
      level: 'warning',
      text: `The task may still be running at MCP server ${task.alias}, because it could not be cancelled: ${why}`,
    });
  }
}

/**
 * Tells the server that nobody waits for its task any more.
 *
 * @throws AishError of the `mcp_…` codes, `aborted`
 */
export async function cancelTask({ taskId }: ServerTask, connect: Connect, signal: AbortSignal): Promise<void> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(LOOK_MS)]);
  await request(await connect(limit), 'tasks/cancel', { taskId }, Anything, limit);
}

/** Whether a failed poll says nothing about the task, because its server is unavailable or busy. */
export function isUnavailable(error: unknown): boolean {
  if (isAishError(error, 'mcp_unreachable', 'mcp_timeout', 'mcp_not_connected', 'mcp_unauthorized', 'aborted'))
    return true;
  const cause = error instanceof AishError ? error.cause : error;
  if (cause instanceof ProtocolError) return cause.code === INTERNAL_ERROR;
  return cause instanceof SdkHttpError;
}

function request<S extends StandardSchemaV1>(
  session: Asks,
  method: 'tasks/get' | 'tasks/update' | 'tasks/cancel',
  params: { readonly taskId: string; readonly inputResponses?: object },
  schema: S,
  signal: AbortSignal,
): Promise<StandardSchemaV1.InferOutput<S>> {
  const asked = { method, params: { ...params } };
  return session.ask((client) => client.request(asked, schema, session.limited(signal)), signal);
}

/**
 * Sends the available answers to the server. A repetition does no harm, because the server knows each question by its
 * name.
 */
async function tell(pending: PendingTask, session: Asks, signal: AbortSignal): Promise<PendingTask> {
  const { answers = {}, task } = pending;
  const names = Object.keys(answers);
  if (names.length === 0) return pending;
  const inputResponses = Object.fromEntries(names.map((name) => [name, toElicitResult(answers[name] ?? NOBODY)]));
  await request(session, 'tasks/update', { taskId: task.taskId, inputResponses }, Anything, signal);
  return { ...pending, questions: {}, answers: {}, task: { ...task, answered: [...task.answered, ...names] } };
}

/**
 * Asks new questions, or records them if the answer comes later.
 *
 * @throws AishError `mcp_refused`
 */
async function ask(
  pending: PendingTask,
  inputRequests: Extract<Polled, { status: 'input_required' }>['inputRequests'],
  options: ToolCallOptions,
  signal: AbortSignal,
): Promise<PendingTask> {
  const { task } = pending;
  const questions: Record<string, Elicitation> = {};
  const answers: Record<string, ElicitationAnswer> = {};
  for (const [name, { method, params }] of Object.entries(inputRequests)) {
    if (task.answered.includes(name)) continue;
    if (method !== 'elicitation/create' || !isSpecType.ElicitRequestParams(params)) {
      throw refused(task, `asks for ${cleanText(method, 64)}, which aish does not offer`);
    }
    if (task.answered.length + Object.keys({ ...questions, ...answers }).length >= LIMITS.questions) {
      throw refused(task, `asks more than ${LIMITS.questions} questions in one call`);
    }
    const question = toElicitation(params);
    const answer = options.elicit === undefined ? NOBODY : await options.elicit(question, signal, true);
    if (answer === null) questions[name] = question;
    else answers[name] = answer;
  }
  return { questions, state: '', restarts: false, answers, task };
}

function statusOf({ pollIntervalMs = DEFAULT_POLL_MS, statusMessage }: Created): Pick<ServerTask, 'pollMs' | 'note'> {
  const pollMs = Math.round(Math.min(LIMITS.pollMaxMs, Math.max(LIMITS.pollMinMs, pollIntervalMs)));
  return { pollMs, note: statusMessage === undefined ? null : oneLine(statusMessage) };
}

function endOf(result: unknown, task: ServerTask): ToolResult {
  if (isCallToolResult(result)) return toToolResult(result);
  throw new AishError('mcp_bad_answer', `The task of MCP server ${task.alias} did not return a tool result`);
}

function unended(pending: PendingTask): ToolResult {
  return { text: '', isError: false, omittedBytes: 0, pending };
}

function failure({ alias }: ServerTask, how: string): ToolResult {
  return { text: `The task of MCP server ${alias} ${how}`, isError: true, omittedBytes: 0 };
}

function refused({ alias }: ServerTask, what: string): AishError {
  return new AishError('mcp_refused', `MCP server ${alias} ${what}`);
}

function oneLine(text: string): string {
  return cleanText(text, NOTE_MAX_CHARS).replaceAll(/\s+/g, ' ').trim();
}
