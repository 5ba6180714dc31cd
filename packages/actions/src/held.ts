import { invariant } from '@aish/contracts/invariant';
import { isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import { findHeld, listLeftHeld, markSettled } from '@aish/database/held.repository';
import type { Sandbox } from '@aish/sandbox-client';
import type { Action, Ending } from './action.js';
import { awayFor, type Away } from './command.js';
import type { ActionContext, ActionPorts } from './context.js';
import { hasEnded } from './life/step.js';

const AT_ONCE = 50;

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
    return awayFor(error, false);
  }
  return { kind: 'ran', actionId, outcome: held };
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
  await sandbox.settle(session.sessionId, ran.heldBy, holder?.verdict === 'kept' ? 'keep' : 'drop', signal);
  return run();
}

/** Carries out what becomes of what commands did whose goal or chat ended first: what nobody decided about is dropped. */
export async function settleLeft(db: Database, sandbox: Sandbox, signal: AbortSignal): Promise<void> {
  for (const { id, sessionId, verdict } of await listLeftHeld(db.statements, AT_ONCE)) {
    try {
      await sandbox.settle(sessionId, id, verdict === 'kept' ? 'keep' : 'drop', signal);
      await markSettled(db.statements, id, verdict === 'kept' ? 'kept' : 'dropped');
    } catch (error) {
      // The next sweep asks again.
      if (!isAishError(error)) throw error;
    }
  }
}
