import type { EventBody } from '@aish/contracts/events';
import { isAishError } from '@aish/contracts/problems';
import type { Workspaces } from './workspaces.port.js';

/** The session of the command. */
export interface SnapshotPlace {
  /** The goal; null in a chat. */
  readonly goalId: string | null;
  readonly step: number;
  readonly workspaceId: string;
  /** Returns whether a command runs only because a person approved it. */
  readonly wasApproved: (actionId: string) => Promise<boolean>;
  /** Writes an event that is not part of a decision of the machine. */
  readonly note: (body: EventBody) => Promise<void>;
}

/**
 * Copies the workspace before a command that runs only because a person approved it. A failed copy is recorded and does
 * not stop the command, because the person has decided. For a repeated request, the sandbox keeps the first copy.
 *
 * @throws AishError `aborted`
 */
export async function snapshotBefore(
  { id: actionId }: { readonly id: string },
  { goalId, step, workspaceId, wasApproved, note }: SnapshotPlace,
  workspaces: Pick<Workspaces, 'snapshot'>,
  signal: AbortSignal,
): Promise<void> {
  if (!(await wasApproved(actionId))) return;
  const event = { type: 'action.snapshot', goalId, actionId, step } as const;
  let sizeBytes: number;
  try {
    ({ sizeBytes } = await workspaces.snapshot(workspaceId, actionId, signal));
  } catch (error) {
    if (signal.aborted || isAishError(error, 'aborted')) throw error;
    const reason = isAishError(error) ? `${error.code}: ${error.message}` : String(error);
    return note({ ...event, sizeBytes: null, reason });
  }
  await note({ ...event, sizeBytes, reason: null });
}
