import { invariant } from '@aish/contracts/invariant';
import { isAishError, type AishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { findHeld, listLeftHeld, markSettled } from '@aish/database/held.repository';
import type { Sandbox } from '@aish/sandbox-client';
import type { Decision } from '@aish/contracts/decisions';
import type { Action, Ending } from './action.js';
import { awayFor, type Away } from './command.js';
import type { ActionContext, ActionPorts } from './context.js';
import { hasEnded } from './life/step.js';

const AT_ONCE = 50;
const DROP_TIMEOUT_MS = 10_000;

type HeldOutcome = NonNullable<Action['held']>;

/** Carries out what a person said of the effects of a command that has run. */
export async function settleHeld(
  { id: actionId, held }: Action,
  { session, at }: ActionContext,
  { sandbox }: ActionPorts,
  signal: AbortSignal,
): Promise<Ending | Away> {
  invariant(held !== undefined, 'only what is held is settled');
  try {
    await sandbox.settle(session.sessionId, actionId, held.held.verdict === 'kept' ? 'keep' : 'drop', signal);
    await at('settle.asked');
  } catch (error) {
    if (!isAishError(error) || error.code === 'aborted' || error.code === 'lock_lost') throw error;
    if (error.code === 'host_folder_changed') return { kind: 'ran', actionId, outcome: askedAgain(held, error) };
    return awayFor(error, false);
  }
  return { kind: 'ran', actionId, outcome: held };
}

/** What cannot be carried over to the host waits again, with what somebody changed there. */
function askedAgain(outcome: HeldOutcome, { facts, message }: AishError): HeldOutcome {
  const { folders } = outcome.held;
  invariant(folders !== undefined, 'only what is in folders of the host is in the way of somebody there');
  const told = facts['conflicts'];
  const conflicts = Array.isArray(told) && told.length > 0 ? told.map(String) : [message];
  return { ...outcome, held: { ...outcome.held, verdict: 'waiting', folders: { ...folders, conflicts } } };
}

/** Carries out a verdict that nobody waits for: what cannot be kept any more is dropped. @returns what became of it. */
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
 * Runs a command where one before it left what nobody will decide about any more: its goal ended, or nobody knows how it
 * ended itself. That is dropped, and the command runs.
 */
export async function afterHeld(
  run: () => Promise<Ending | Away>,
  { session }: ActionContext,
  { sandbox, db }: ActionPorts,
  signal: AbortSignal,
): Promise<Ending | Away> {
  const ran = await run();
  if (!('type' in ran) || ran.heldBy === undefined) return ran;
  const holder = await findHeld(db.statements, ran.heldBy);
  if (holder !== null && !hasEnded(holder)) return ran;
  const left = { sessionId: session.sessionId, id: ran.heldBy, isKept: holder?.verdict === 'kept' };
  await settleUnasked(sandbox, left, signal);
  return run();
}

/** Drops what the preview of an action did that is not to be kept; what cannot be dropped now is dropped when it is old. */
export async function dropPreview(
  sandbox: Sandbox,
  { sessionId, actionId, difference }: Pick<Decision, 'sessionId' | 'actionId' | 'difference'>,
  warn: (error: unknown) => void,
): Promise<void> {
  // What has run already has a verdict of its own.
  if (actionId === null || difference !== null) return;
  await sandbox.settle(sessionId, actionId, 'drop', AbortSignal.timeout(DROP_TIMEOUT_MS)).catch(warn);
}

/** Carries out what becomes of what commands did whose goal or chat ended first: what nobody decided about is dropped. */
export async function settleLeft(db: Database, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const { id, sessionId, verdict } of await listLeftHeld(db.statements, AT_ONCE)) {
    try {
      const became = await settleUnasked(sandbox, { sessionId, id, isKept: verdict === 'kept' }, signal);
      await markSettled(db.statements, id, became);
    } catch (error) {
      // The next sweep asks again.
      if (!isAishError(error)) throw error;
    }
  }
}
