import {
  AishError,
  isAishError,
  toolNews,
  type ProblemCode,
  type RunOutcome,
  type ToolCallOptions,
} from '@aish/contracts';
import { Connections, connectionEvents, snapshotBefore, type Sandbox } from '@aish/sandbox-client';
import { measured } from '@aish/telemetry';
import type { Ending, GoalEvent } from '../machine/events.js';
import type { MachineAction } from '../machine/state.js';
import type { ActContext, ActPorts, Acted } from './context.js';

type Command = Extract<MachineAction, { kind: 'command' }>;
type ToolAction = Extract<MachineAction, { kind: 'tool' }>;
/** How a command ended, or what keeps it from being known. */
type Ran = Ending | (Extract<GoalEvent, { type: 'away' }> & { readonly retryAfterMs?: number });

/** Runs actions that have just been written as started: a command, or tool calls, side by side if there are several. */
export async function run(
  actions: readonly MachineAction[],
  context: ActContext,
  ports: ActPorts,
  signal: AbortSignal,
): Promise<Acted> {
  const startedAt = performance.now();
  const [first] = actions;
  if (first?.kind === 'command') {
    await snapshotBefore(first, context, ports.workspaces, signal);
    return acted(await runCommand(first, context, ports.sandbox, signal), startedAt);
  }
  const calls = actions.filter((action) => action.kind === 'tool');
  const called = await Promise.all(calls.map((action) => callTool(action, context, ports, signal)));
  return {
    event: {
      type: 'ended',
      endings: called.map(({ ending }) => ending),
      tookMs: Math.max(0, performance.now() - startedAt - Math.max(...called.map(({ askedMs }) => askedMs))),
    },
    found: called.flatMap(({ found }) => found),
  };
}

/** Takes over what was begun before: the sandbox knows it, running or ended, or nobody does. */
export async function recover(
  action: MachineAction,
  context: ActContext,
  ports: ActPorts,
  signal: AbortSignal,
): Promise<Acted> {
  const startedAt = performance.now();
  if (action.kind === 'command') {
    return acted(await recoverCommand(action, context, ports.sandbox, signal), startedAt);
  }
  // A call that only reads may be made again. Of any other nobody knows what it did.
  if (action.readOnly === true) return run([action], context, ports, signal);
  return acted({ kind: 'lost', actionId: action.id }, startedAt);
}

function acted(ran: Ran, startedAt: number): Acted {
  if ('type' in ran) {
    const { retryAfterMs, ...event } = ran;
    return { event, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  return { event: { type: 'ended', endings: [ran], tookMs: performance.now() - startedAt } };
}

async function callTool(
  action: ToolAction,
  context: ActContext,
  { tools }: ActPorts,
  signal: AbortSignal,
): Promise<{
  readonly ending: Ending;
  readonly found: readonly string[];
  /** The time in which a person was asked: it is not the goal's. */
  readonly askedMs: number;
}> {
  const { toolContext } = context;
  const specs = await tools.specs(toolContext);
  const prepared = tools.prepare({ id: action.callId, name: action.tool, arguments: action.arguments }, specs);
  if ('refused' in prepared) {
    return { ending: { kind: 'answered', actionId: action.id, result: prepared.refused }, found: [], askedMs: 0 };
  }
  const from = performance.now();
  const { pending } = action;
  let askedMs = 0;
  const options: ToolCallOptions = {
    ...toolNews(action.id, context.live),
    elicit: async (question, gone, isResumable) => {
      if (isResumable) return null;
      const askedAt = performance.now();
      try {
        return await context.askMeanwhile(action, question, gone);
      } finally {
        askedMs += performance.now() - askedAt;
      }
    },
    ...(pending?.answers === undefined ? {} : { resume: { state: pending.state, answers: pending.answers } }),
  };
  const calling = tools.call(prepared.ready, toolContext, specs, signal, options);
  const [{ result, found }] = await Promise.all([calling, context.at('run.asked')]);
  if (result.pending !== undefined) {
    return { ending: { kind: 'asks', actionId: action.id, pending: result.pending }, found, askedMs };
  }
  const labels = { tool: prepared.ready.spec.label, outcome: result.isError ? 'error' : 'ok' };
  measured.toolCall.record((performance.now() - from - askedMs) / 1000, labels);
  return { ending: { kind: 'answered', actionId: action.id, result }, found, askedMs };
}

async function runCommand(action: Command, context: ActContext, sandbox: Sandbox, signal: AbortSignal): Promise<Ran> {
  const { id: runId, command } = action;
  const request = {
    runId,
    workspaceId: context.workspaceId,
    command,
    timeoutMs: context.commandTimeoutMs,
    hostFolders: [...context.hostFolders],
  };
  const from = performance.now();
  const connections = new Connections();
  let isAsked = false;
  try {
    for await (const frame of sandbox.run(request, signal)) {
      if (!isAsked) await context.at('run.asked');
      isAsked = true;
      if (frame.type === 'exit') {
        measured.command.record((performance.now() - from) / 1000, { outcome: outcomeOf(frame.outcome) });
        return { kind: 'ran', actionId: runId, outcome: frame.outcome, connections: connections.list() };
      }
      if (frame.type === 'network') {
        connections.take(frame);
        continue;
      }
      context.live({
        type: 'action.output',
        goalId: context.goalId,
        actionId: runId,
        stream: frame.stream,
        text: frame.text,
      });
    }
  } catch (error) {
    return sandboxAnswer(error, runId);
  }
  throw new AishError('internal', 'The stream of a run ended without an exit frame');
}

function outcomeOf({ exitCode, timedOut, cancelled, outOfMemory }: RunOutcome): string {
  if (timedOut) return 'timeout';
  if (cancelled) return 'cancelled';
  if (outOfMemory) return 'out_of_memory';
  return exitCode === 0 ? 'ok' : 'error';
}

async function recoverCommand(
  action: Command,
  context: ActContext,
  sandbox: Sandbox,
  signal: AbortSignal,
): Promise<Ran> {
  const actionId = action.id;
  let known: RunOutcome | null;
  try {
    const status = await sandbox.status(actionId, signal);
    if (status === null) return { kind: 'lost', actionId };
    if (status.state === 'lost') {
      const { goalId, step } = context;
      // What it reached is known although its end is not.
      for (const body of connectionEvents({ goalId, actionId, step }, status.connections)) await context.note(body);
      return { kind: 'lost', actionId };
    }
    known = status.outcome;
  } catch (error) {
    // Asking after a run says nothing about whether it began.
    const answer = sandboxAnswer(error, actionId);
    return 'type' in answer ? { ...answer, began: true } : answer;
  }
  // Also one that has ended is attached to: its stream has the connections, which the outcome has not.
  const ran = await runCommand(action, context, sandbox, signal);
  const isRan = !('type' in ran) && ran.kind === 'ran';
  return known === null || isRan ? ran : { kind: 'ran', actionId, outcome: known };
}

/** Refusals that come before anything was started. Every other one leaves open what happened. */
const NOTHING_BEGAN: ReadonlySet<ProblemCode> = new Set([
  'sandbox_unreachable',
  'engine_unavailable',
  'image_missing',
  'runtime_missing',
  'disk_full',
  'too_many',
  'mount_missing',
  'service_stopping',
  'unauthorized',
]);
const NEVER_RUNS: ReadonlySet<ProblemCode> = new Set([
  'command_too_long',
  'invalid_body',
  'mount_not_allowed',
  'payload_too_large',
]);

function sandboxAnswer(error: unknown, actionId: string): Ran {
  if (!isAishError(error) || error.code === 'aborted') throw error;
  const reason = `${error.code}: ${error.message}`;
  const { retryAfterS } = error.facts;
  const away = { type: 'away', what: 'sandbox', reason } as const;
  const later = typeof retryAfterS === 'number' ? { retryAfterMs: retryAfterS * 1000 } : {};
  if (NOTHING_BEGAN.has(error.code)) return { ...away, began: false, ...later };
  if (NEVER_RUNS.has(error.code)) return { kind: 'refused', actionId, reason };
  if (error.code === 'run_lost') return { kind: 'lost', actionId };
  return { ...away, began: true, ...later };
}
