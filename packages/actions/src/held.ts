import { invariant } from '@aish/contracts/invariant';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { findHeld, listLeftHeld, markSettled } from '@aish/database/held.repository';
import type { Sandbox } from '@aish/sandbox-client';
import type { Decision } from '@aish/contracts/decisions';
import type { Action, Ending } from './action.js';
import { unavailableEvent, type Unavailable } from './command.js';
import type { ActionContext, ActionPorts } from './context.js';
import { hasEnded } from './life/step.js';

const AT_ONCE = 50;
const DROP_TIMEOUT_MS = 10_000;

type HeldOutcome = NonNullable<Action['held']>;

/** Carries out a person's verdict on the changes of a command that has run. */
export async function settleHeld(
  { id: actionId, held }: Action,
  { session, at }: ActionContext,
  { sandbox }: ActionPorts,
  signal: AbortSignal,
): Promise<Ending | Unavailable> {
  invariant(held !== undefined, 'only what is held is settled');
  try {
    await sandbox.settle(session.sessionId, actionId, held.held.verdict === 'kept' ? 'keep' : 'drop', signal);
    await at('settle.asked');
  } catch (error) {
    if (!isAishError(error) || error.code === 'aborted' || error.code === 'lock_lost') throw error;
    if (error.code === 'host_folder_changed') return { kind: 'ran', actionId, outcome: askedAgain(held, error) };
    return unavailableEvent(error, false);
  }
  return { kind: 'ran', actionId, outcome: held };
}

/** Changes that cannot be copied to the host wait again, with the list of paths that somebody changed there. */
function askedAgain(outcome: HeldOutcome, { facts, message }: AishError): HeldOutcome {
  const { folders } = outcome.held;
  invariant(folders !== undefined, 'only what is in folders of the host is in the way of somebody there');
  const reported = facts['conflicts'];
  const conflicts = Array.isArray(reported) && reported.length > 0 ? reported.map(String) : [message];
  return { ...outcome, held: { ...outcome.held, verdict: 'waiting', folders: { ...folders, conflicts } } };
}

/**
 * Carries out a verdict without a waiting person: changes that can no longer be kept are dropped.
 *
 * @returns the outcome of the command
 */
async function settleUnasked(
  sandbox: Sandbox,
  { sessionId, id, isKept }: { readonly sessionId: string; readonly id: string; readonly isKept: boolean },
  signal: AbortSignal,
): Promise<'kept' | 'dropped'> {
  try {
    await sandbox.settle(sessionId, id, isKept ? 'keep' : 'drop', signal);
    return isKept ? 'kept' : 'dropped';
  } catch (error) {
    if (!isKept || !isAishError(error, 'host_folder_changed')) throw error;
    await sandbox.settle(sessionId, id, 'drop', signal);
    return 'dropped';
  }
}

/**
 * Drops held changes of an earlier command, and then runs a command. Nobody will decide about those changes, because
 * their goal ended or the end of their command is unknown.
 */
export async function dropHeldThenRun(
  run: () => Promise<Ending | Unavailable>,
  { session }: ActionContext,
  { sandbox, db }: ActionPorts,
  signal: AbortSignal,
): Promise<Ending | Unavailable> {
  const ran = await run();
  if (!('type' in ran) || ran.heldBy === undefined) return ran;
  const holder = await findHeld(db.statements, ran.heldBy);
  if (holder !== null && !hasEnded(holder)) return ran;
  const left = { sessionId: session.sessionId, id: ran.heldBy, isKept: holder?.verdict === 'kept' };
  await settleUnasked(sandbox, left, signal);
  return run();
}

/**
 * Drops the stashed changes of a preview that is not kept. If that is impossible now, they are dropped when they are
 * old.
 */
export async function dropPreview(
  sandbox: Sandbox,
  { sessionId, actionId, difference }: Pick<Decision, 'sessionId' | 'actionId' | 'difference'>,
  warn: (error: unknown) => void,
): Promise<void> {
  // If the command has already run, the verdict is about its held changes, not about a preview.
  if (actionId === null || difference !== null) return;
  await sandbox.settle(sessionId, actionId, 'drop', AbortSignal.timeout(DROP_TIMEOUT_MS)).catch(warn);
}

/** Drops held changes whose goal or chat ended before anyone decided. */
export async function settleLeft(db: Database, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const { id, sessionId, verdict } of await listLeftHeld(db.statements, AT_ONCE)) {
    try {
      const became = await settleUnasked(sandbox, { sessionId, id, isKept: verdict === 'kept' }, signal);
      await markSettled(db.statements, id, became);
    } catch (error) {
      // The next sweep tries again.
      if (!isAishError(error)) throw error;
    }
  }
}
