import type { RunOutcome } from '@aish/contracts/actions';
import { AishError, isAishError, type ProblemCode } from '@aish/contracts/problems';
import type { Hold } from '@aish/contracts/runs';
import type { RunSecret } from '@aish/contracts/secrets';
import { usedNames, type BoundFile, type ExecutionContext, type HostFile } from '@aish/contracts/execution-context';
import { Connections, type Sandbox } from '@aish/sandbox-client';
import { measured } from '@aish/telemetry';
import type { Action, ActionEvent, Ending } from './action.js';
import type { ActionContext } from './context.js';
import { boundFiles, pathsApprovedBy } from '@aish/safety';
import type { Refusal } from '@aish/contracts/runs';
import type { SshAuthorizer } from './hosts/ssh.authorizer.js';
import { CONTEXT_CHANGED, NOT_HELD, UNDO_FULL } from './execution-context.js';

export type Command = Extract<Action, { kind: 'command' }>;

/** Says that the sandbox is unavailable. */
export type Unavailable = Extract<ActionEvent, { type: 'unavailable' }> & {
  readonly retryAfterMs?: number;
  /** The run whose held changes block the command. */
  readonly heldBy?: string;
};

/** The conditions under which a command may start. */
export interface Terms {
  /**
   * The digest of the approved execution context. In any other context the command does not start. Null for commands
   * that are safe in any context.
   */
  readonly contextDigest: string | null;
  /** Whether the digest includes the content of the files that determine what the command does. */
  readonly isBound?: boolean;
  /** The scripts on hosts that the approval covers. */
  readonly hostFiles?: readonly HostFile[];
  /**
   * Whether the command keeps carried variables that change its meaning. Otherwise it runs without them, and later
   * commands get them again.
   */
  readonly carried: boolean;
  /**
   * How the changes of the command are held. Default: they are held if possible, unless a person approved the command
   * in this context.
   */
  readonly hold?: Hold['mode'];
  /** The preview that the verdict names. aish keeps the run of this preview only. */
  readonly preview?: string | null;
}

/** The access of a command beyond its workspace. */
export interface CommandAccess {
  readonly authorizer?: SshAuthorizer | null;
  readonly secrets?: readonly RunSecret[];
  /** The person's earlier refusals. */
  readonly refusals?: readonly Refusal[];
}

export const SAFE_ANYWHERE: Terms = { contextDigest: null, carried: false };

/** Terms like `SAFE_ANYWHERE`, for a command that runs only because all its changes can be undone. */
export const ONLY_HELD: Terms = { ...SAFE_ANYWHERE, hold: 'must' };

/** Returns the execution context of a session's next command. */
export async function readExecutionContext(
  command: string,
  { session, hostFolders }: ActionContext,
  sandbox: Sandbox,
  signal: AbortSignal,
  files: readonly BoundFile[] = [],
): Promise<ExecutionContext | Unavailable> {
  try {
    return await sandbox.executionContext(session.sessionId, signal, usedNames(command), undefined, hostFolders, files);
  } catch (error) {
    if (!isAishError(error) || error.code === 'aborted') throw error;
    return unavailableEvent(error, false);
  }
}

/** Runs a command that is recorded as started, or attaches to its run. Each ID has at most one run. */
export async function runCommand(
  { id: runId, command }: Command,
  {
    contextDigest,
    isBound = false,
    carried,
    hold: mode = contextDigest === null ? 'may' : 'note',
    preview = null,
  }: Terms,
  context: ActionContext,
  sandbox: Sandbox,
  signal: AbortSignal,
  { authorizer = null, secrets = [], refusals = [] }: CommandAccess = {},
): Promise<Ending | Unavailable> {
  const { session, commandTimeoutMs: timeoutMs, hostFolders } = context;
  const { sessionId: workspaceId, goalId } = session;
  const background = goalId !== null;
  const begins = {
    pinned: !carried,
    ...(contextDigest === null ? {} : { expectedContextDigest: contextDigest }),
    ...(isBound ? { boundFiles: [...boundFiles(command)] } : {}),
  };
  // The approval covers the changes that the command's text names, and nothing beyond them.
  const hold = {
    origin: goalId ?? workspaceId,
    mode,
    ...(mode === 'note' ? { named: [...pathsApprovedBy(command)] } : {}),
    ...(refusals.length === 0 ? {} : { refusals: [...refusals] }),
  };
  const access = { hostFolders: [...hostFolders], hosts: authorizer !== null, secrets: [...secrets] };
  const named = preview === null ? {} : { preview };
  const request = { runId, workspaceId, command, timeoutMs, background, hold, ...access, ...begins, ...named };
  const from = performance.now();
  const connections = new Connections();
  let isAsked = false;
  try {
    for await (const frame of sandbox.run(request, signal)) {
      if (!isAsked) await context.at('run.asked');
      isAsked = true;
      if (frame.type === 'exit') {
        measured.command.record((performance.now() - from) / 1000, { outcome: outcomeOf(frame.outcome) });
        const ended = { actionId: runId, connections: connections.list() };
        if (authorizer !== null && (await authorizer.isLost())) return { kind: 'lost', ...ended };
        return { kind: 'ran', ...ended, outcome: frame.outcome };
      }
      if (frame.type === 'network') connections.take(frame);
      else if (frame.type === 'host' || frame.type === 'hostEnded') authorizer?.take(frame);
      else context.live({ type: 'action.output', goalId, actionId: runId, stream: frame.stream, text: frame.text });
    }
  } catch (error) {
    return sandboxAnswer(error, runId);
  }
  throw new AishError('internal', 'The stream of a run ended without an exit frame');
}

/**
 * Takes over a command that was started before. If the sandbox knows neither a running nor an ended run of it, the
 * command is lost.
 */
export async function recoverCommand(
  action: Command,
  context: ActionContext,
  sandbox: Sandbox,
  signal: AbortSignal,
  authorizer: SshAuthorizer | null = null,
): Promise<Ending | Unavailable> {
  const actionId = action.id;
  let known: RunOutcome | null;
  try {
    const status = await sandbox.status(actionId, signal);
    if (status === null) return { kind: 'lost', actionId };
    // The connections of a lost command are known, although its end is not.
    if (status.state === 'lost') return { kind: 'lost', actionId, connections: status.connections };
    known = status.outcome;
  } catch (error) {
    // A failed request for a run does not show whether the run started.
    const answer = sandboxAnswer(error, actionId);
    return 'type' in answer ? { ...answer, began: true } : answer;
  }
  // The runner attaches even if the run has ended, because only the run's stream has the connections.
  const ran = await runCommand(action, SAFE_ANYWHERE, context, sandbox, signal, { authorizer });
  const isEnded = !('type' in ran) && (ran.kind === 'ran' || ran.kind === 'lost');
  return known === null || isEnded ? ran : { kind: 'ran', actionId, outcome: known };
}

function outcomeOf({ exitCode, timedOut, cancelled, outOfMemory }: RunOutcome): string {
  if (timedOut) return 'timeout';
  if (cancelled) return 'cancelled';
  if (outOfMemory) return 'out_of_memory';
  return exitCode === 0 ? 'ok' : 'error';
}

/** Errors that come before anything has started. After any other error nobody knows what happened. */
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
  'workspace_held',
]);
const NEVER_RUNS: ReadonlySet<ProblemCode> = new Set([
  'command_too_long',
  'engine_lacks',
  'invalid_body',
  'mount_not_allowed',
  'network_full',
  'payload_too_large',
]);

function sandboxAnswer(error: unknown, actionId: string): Ending | Unavailable {
  if (!isAishError(error) || error.code === 'aborted') throw error;
  if (NEVER_RUNS.has(error.code)) return { kind: 'refused', actionId, reason: reasonOf(error) };
  if (error.code === 'run_lost') return { kind: 'lost', actionId };
  if (error.code === 'execution_context_changed') return { kind: 'outdated', actionId, why: CONTEXT_CHANGED };
  if (error.code === 'hold_unavailable')
    return { kind: 'outdated', actionId, why: error.facts['full'] === true ? UNDO_FULL : NOT_HELD };
  return unavailableEvent(error, !NOTHING_BEGAN.has(error.code));
}

export function unavailableEvent(error: AishError, began: boolean): Unavailable {
  const { retryAfterS } = error.facts;
  const later = typeof retryAfterS === 'number' ? { retryAfterMs: retryAfterS * 1000 } : {};
  const held = error.code === 'workspace_held' ? { heldBy: String(error.facts['run']) } : {};
  return { type: 'unavailable', what: 'sandbox', reason: reasonOf(error), began, ...later, ...held };
}

function reasonOf({ code, message }: AishError): string {
  return `${code}: ${message}`;
}
