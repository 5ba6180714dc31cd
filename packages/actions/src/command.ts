import type { RunOutcome } from '@aish/contracts/actions';
import { AishError, isAishError, type ProblemCode } from '@aish/contracts/problems';
import type { Hold } from '@aish/contracts/runs';
import type { RunSecret } from '@aish/contracts/secrets';
import { usedNames, type BoundFile, type CommandSurroundings } from '@aish/contracts/surroundings';
import { Connections, type Sandbox } from '@aish/sandbox-client';
import { measured } from '@aish/telemetry';
import type { Action, ActionEvent, Ending } from './action.js';
import type { ActionContext } from './context.js';
import { boundFiles, namedPaths } from '@aish/safety';
import type { Refusal } from '@aish/contracts/runs';
import type { SshAuthorizer } from './hosts/ssh.authorizer.js';
import { CHANGED, NOT_HELD, UNDO_FULL } from './surroundings.js';

export type Command = Extract<Action, { kind: 'command' }>;

/** The sandbox cannot be asked now. */
export type Away = Extract<ActionEvent, { type: 'away' }> & {
  readonly retryAfterMs?: number;
  /** The run whose effects do not count yet and are in the way. */
  readonly heldBy?: string;
};

/** As what a command may begin. */
export interface Terms {
  /** The digest of the surroundings that it was approved in: in any others nothing begins. Null for what is safe anywhere. */
  readonly surroundings: string | null;
  /** Whether the content of the files that decide what it does is part of that digest. */
  readonly isBound?: boolean;
  /** Whether it keeps the variables of earlier commands that change what it means; otherwise they are there again after it. */
  readonly carried: boolean;
  /** How what it does is held; without it as far as possible, unless a person approved it in these surroundings. */
  readonly hold?: Hold['mode'];
  /** The preview that its verdict names: its run is kept, and no other. */
  readonly preview?: string | null;
}

/** What a command reaches besides its workspace. */
export interface Reach {
  readonly desk?: SshAuthorizer | null;
  readonly secrets?: readonly RunSecret[];
  /** What a person refused before. */
  readonly refusals?: readonly Refusal[];
}

export const SAFE_ANYWHERE: Terms = { surroundings: null, carried: false };

/** As `SAFE_ANYWHERE`, where nothing speaks for it but that all it does can be taken back. */
export const ONLY_HELD: Terms = { ...SAFE_ANYWHERE, hold: 'must' };

/** What a command of a session would begin in. */
export async function lookAround(
  command: string,
  { session, hostFolders }: ActionContext,
  sandbox: Sandbox,
  signal: AbortSignal,
  files: readonly BoundFile[] = [],
): Promise<CommandSurroundings | Away> {
  try {
    return await sandbox.surroundings(session.sessionId, signal, usedNames(command), undefined, hostFolders, files);
  } catch (error) {
    if (!isAishError(error) || error.code === 'aborted') throw error;
    return awayFor(error, false);
  }
}

/** Runs a command that is written as started, or attaches to its run: one id is one run. */
export async function runCommand(
  { id: runId, command }: Command,
  {
    surroundings,
    isBound = false,
    carried,
    hold: mode = surroundings === null ? 'may' : 'note',
    preview = null,
  }: Terms,
  context: ActionContext,
  sandbox: Sandbox,
  signal: AbortSignal,
  { desk = null, secrets = [], refusals = [] }: Reach = {},
): Promise<Ending | Away> {
  const { session, commandTimeoutMs: timeoutMs, hostFolders } = context;
  const { sessionId: workspaceId, goalId } = session;
  const background = goalId !== null;
  const begins = {
    pinned: !carried,
    ...(surroundings === null ? {} : { expectedSurroundings: surroundings }),
    ...(isBound ? { boundFiles: [...boundFiles(command)] } : {}),
  };
  // What a person let through counts as far as its words say what it does; what it does beyond that, nobody approved.
  const hold = {
    origin: goalId ?? workspaceId,
    mode,
    ...(mode === 'note' ? { named: [...namedPaths(command)] } : {}),
    ...(refusals.length === 0 ? {} : { refusals: [...refusals] }),
  };
  const reach = { hostFolders: [...hostFolders], hosts: desk !== null, secrets: [...secrets] };
  const named = preview === null ? {} : { preview };
  const request = { runId, workspaceId, command, timeoutMs, background, hold, ...reach, ...begins, ...named };
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
        if (desk !== null && (await desk.isLost())) return { kind: 'lost', ...ended };
        return { kind: 'ran', ...ended, outcome: frame.outcome };
      }
      if (frame.type === 'network') connections.take(frame);
      else if (frame.type === 'host' || frame.type === 'hostEnded') desk?.take(frame);
      else context.live({ type: 'action.output', goalId, actionId: runId, stream: frame.stream, text: frame.text });
    }
  } catch (error) {
    return sandboxAnswer(error, runId);
  }
  throw new AishError('internal', 'The stream of a run ended without an exit frame');
}

/** Takes over a command that was begun before: the sandbox knows it, running or ended, or nobody does. */
export async function recoverCommand(
  action: Command,
  context: ActionContext,
  sandbox: Sandbox,
  signal: AbortSignal,
  desk: SshAuthorizer | null = null,
): Promise<Ending | Away> {
  const actionId = action.id;
  let known: RunOutcome | null;
  try {
    const status = await sandbox.status(actionId, signal);
    if (status === null) return { kind: 'lost', actionId };
    // What it reached is known although its end is not.
    if (status.state === 'lost') return { kind: 'lost', actionId, connections: status.connections };
    known = status.outcome;
  } catch (error) {
    // Asking after a run says nothing about whether it began.
    const answer = sandboxAnswer(error, actionId);
    return 'type' in answer ? { ...answer, began: true } : answer;
  }
  // Also one that has ended is attached to: its stream has the connections, which the outcome has not.
  const ran = await runCommand(action, SAFE_ANYWHERE, context, sandbox, signal, { desk });
  const isEnded = !('type' in ran) && (ran.kind === 'ran' || ran.kind === 'lost');
  return known === null || isEnded ? ran : { kind: 'ran', actionId, outcome: known };
}

function outcomeOf({ exitCode, timedOut, cancelled, outOfMemory }: RunOutcome): string {
  if (timedOut) return 'timeout';
  if (cancelled) return 'cancelled';
  if (outOfMemory) return 'out_of_memory';
  return exitCode === 0 ? 'ok' : 'error';
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
  'workspace_held',
]);
const NEVER_RUNS: ReadonlySet<ProblemCode> = new Set([
  'command_too_long',
  'invalid_body',
  'mount_not_allowed',
  'network_full',
  'payload_too_large',
]);

function sandboxAnswer(error: unknown, actionId: string): Ending | Away {
  if (!isAishError(error) || error.code === 'aborted') throw error;
  if (NEVER_RUNS.has(error.code)) return { kind: 'refused', actionId, reason: reasonOf(error) };
  if (error.code === 'run_lost') return { kind: 'lost', actionId };
  if (error.code === 'surroundings_changed') return { kind: 'outdated', actionId, why: CHANGED };
  if (error.code === 'hold_unavailable')
    return { kind: 'outdated', actionId, why: error.facts['full'] === true ? UNDO_FULL : NOT_HELD };
  return awayFor(error, !NOTHING_BEGAN.has(error.code));
}

export function awayFor(error: AishError, began: boolean): Away {
  const { retryAfterS } = error.facts;
  const later = typeof retryAfterS === 'number' ? { retryAfterMs: retryAfterS * 1000 } : {};
  const held = error.code === 'workspace_held' ? { heldBy: String(error.facts['run']) } : {};
  return { type: 'away', what: 'sandbox', reason: reasonOf(error), began, ...later, ...held };
}

function reasonOf({ code, message }: AishError): string {
  return `${code}: ${message}`;
}
