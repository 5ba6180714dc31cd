import { isAishError } from '@aish/contracts/problems';
import { toolCallbacks } from '@aish/contracts/tool-news';
import {
  openTask,
  type Elicitation,
  type ElicitationAnswer,
  type PendingInput,
  type PendingTask,
  type ToolCallOptions,
} from '@aish/contracts/tools';
import { saveApproval } from '@aish/database/approvals.repository';
import { askDuringCall } from '@aish/database/ask-during-call';
import { measured } from '@aish/telemetry';
import { fingerprintOf } from '@aish/tools';
import type { Action, Ending } from './action.js';
import { lastLines, type ActionContext, type ActionPorts } from './context.js';
import { TOOL_CHANGED } from './execution-context.js';

export type Call = Extract<Action, { kind: 'tool' }>;

/**
 * The time after which aish gives up a task of a server, in milliseconds. A goal uses no resources while it waits, and
 * the person on the other side may be absent for a week. In a chat a person is watching.
 */
const TASK_MAX_MS = { goal: 7 * 86_400_000, chat: 3_600_000 };

/** The result of a tool call. */
export interface Called {
  readonly ending: Ending;
  /** Names of tools that the model has just found. */
  readonly found: readonly string[];
  /** Milliseconds spent asking a person. They do not count as the session's time. */
  readonly askedMs: number;
}

/**
 * Calls a tool. If the tool cannot answer, the error becomes the result.
 *
 * @param approved the fingerprint of the tool that a person approved. No other version is called.
 */
export async function callTool(
  action: Call,
  approved: string | null,
  context: ActionContext,
  { toolbox, db }: ActionPorts,
  signal: AbortSignal,
): Promise<Called> {
  const { session } = context;
  const { id: actionId, pending } = action;
  if (pending?.task !== undefined) {
    return askAfter(action, { ...pending, task: pending.task }, context, toolbox, signal);
  }
  const specs = await toolbox.specs(session);
  const prepared = toolbox.prepare({ id: action.callId, name: action.tool, arguments: action.arguments }, specs);
  if ('refused' in prepared) {
    return { ending: { kind: 'answered', actionId, result: prepared.refused }, found: [], askedMs: 0 };
  }
  const { spec, isBuiltIn } = prepared.ready;
  if (approved !== null && approved !== fingerprintOf(spec)) {
    return { ending: { kind: 'outdated', actionId, why: TOOL_CHANGED }, found: [], askedMs: 0 };
  }
  // A person or the policy allowed the call, so this version counts as approved from now on.
  if (!isBuiltIn) await saveApproval(db.statements, spec.label, fingerprintOf(spec), session.owner);
  const from = performance.now();
  let askedMs = 0;
  const options: ToolCallOptions = {
    ...toolCallbacks(actionId, context.live),
    elicit: async (question, gone, isResumable) => {
      if (isResumable) return null;
      const askedAt = performance.now();
      try {
        return await askPerson(action, question, context, db, gone);
      } finally {
        askedMs += performance.now() - askedAt;
      }
    },
    taskMaxMs: session.goalId === null ? TASK_MAX_MS.chat : TASK_MAX_MS.goal,
    ...(pending?.answers === undefined ? {} : { resume: { state: pending.state, answers: pending.answers } }),
  };
  const calling = toolbox.call(prepared.ready, session, specs, signal, options).catch(lost);
  const [called] = await Promise.all([calling, context.at('run.asked')]);
  if (called === null) return { ending: { kind: 'lost', actionId }, found: [], askedMs };
  const { result, found } = called;
  if (result.pending !== undefined) return { ending: unended(actionId, result.pending), found, askedMs };
  const labels = { tool: spec.label, outcome: result.isError ? 'error' : 'ok' };
  measured.toolCall.record((performance.now() - from - askedMs) / 1000, labels);
  return { ending: { kind: 'answered', actionId, result }, found, askedMs };
}

/**
 * @returns null if nobody knows how the call ended.
 *
 * @throws any other error
 */
function lost(error: unknown): null {
  if (isAishError(error, 'mcp_lost')) return null;
  throw error;
}

/** Polls the task of a call. Its tool need not be in the list any more. */
async function askAfter(
  { id: actionId, label }: Call,
  pending: PendingTask,
  { live, at, session }: ActionContext,
  toolbox: ActionPorts['toolbox'],
  signal: AbortSignal,
): Promise<Called> {
  const options: ToolCallOptions = { ...toolCallbacks(actionId, live), elicit: () => Promise.resolve(null) };
  const asking = toolbox.askAfter(label, pending, session, signal, options);
  const [result] = await Promise.all([asking, at('run.asked')]);
  const ending: Ending =
    result.pending === undefined ? { kind: 'answered', actionId, result } : unended(actionId, result.pending);
  return { ending, found: [], askedMs: 0 };
}

function unended(actionId: string, pending: PendingInput): Ending {
  const task = openTask(pending);
  return task === null
    ? { kind: 'asks', actionId, pending }
    : { kind: 'waits', actionId, pending: { ...pending, task } };
}

/** Asks a person the question of a server while the server's call stays open. */
function askPerson(
  action: Call,
  question: Elicitation,
  context: ActionContext,
  db: ActionPorts['db'],
  gone: AbortSignal,
): Promise<ElicitationAnswer> {
  const { session, step, stepBudget, words, haltExpiry: expiry, write, elicitationWaitMs } = context;
  const { sessionId, goalId } = session;
  const place = { sessionId, goalId, step, stepBudget, context: lastLines(words), expiry };
  const signal = AbortSignal.any([gone, AbortSignal.timeout(elicitationWaitMs)]);
  return askDuringCall(db, action, question, place, { write, signal });
}
