import type { EventBody } from '@aish/contracts/events';
import { isAishError } from '@aish/contracts/problems';
import type { Workspaces } from './workspaces.port.js';

/** What is known of the session whose command it is. */
export interface SnapshotPlace {
  /** Null in a chat. */
  readonly goalId: string | null;
  readonly step: number;
  readonly workspaceId: string;
  /** Whether a command runs only because a person said so. */
  readonly wasApproved: (actionId: string) => Promise<boolean>;
  /** Writes an event that decides nothing. */
  readonly note: (body: EventBody) => Promise<void>;
}

/**
 * Copies the workspace before a command that runs only because a person said so. That none could be taken is written
 * down and stops nothing: the person has decided. Asked again for the same action, the sandbox keeps the first.
 * @throws AishError `aborted`
 */
export async function snapshotBefore(
  { id: actionId }: { readonly id: string },
  { goalId, step, workspaceId, wasApproved, note }: SnapshotPlace,
  workspaces: Pick<Workspaces, 'snapshot'>,
  signal: AbortSignal,
): Promise<void> {
  if (!(await wasApproved(actionId))) return;
  const told = { type: 'action.snapshot', goalId, actionId, step } as const;
  let sizeBytes: number;
  try {
    ({ sizeBytes } = await workspaces.snapshot(workspaceId, actionId, signal));
  } catch (error) {
    if (signal.aborted || isAishError(error, 'aborted')) throw error;
    const reason = isAishError(error) ? `${error.code}: ${error.message}` : String(error);
    return note({ ...told, sizeBytes: null, reason });
  }
  await note({ ...told, sizeBytes, reason: null });
}
