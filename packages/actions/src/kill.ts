import type { RunOutcome } from '@aish/contracts/actions';
import type { CountedConnection } from '@aish/contracts/network';
import { isAishError } from '@aish/contracts/problems';
import type { Sandbox } from '@aish/sandbox-client';
import type { Killed } from './action.js';

/** How long a person waits for the sandbox to kill their commands. */
const KILL_TIMEOUT_MS = 5_000;

/**
 * Kills commands for a person.
 *
 * @returns what is known about them. Nothing is known if the sandbox is unavailable: they end as lost, which is true.
 */
export async function killCommands(sandbox: Sandbox, actionIds: readonly string[]): Promise<Required<Killed>> {
  const outcomes: Record<string, RunOutcome> = {};
  const connections: Record<string, readonly CountedConnection[]> = {};
  for (const actionId of actionIds) {
    try {
      const signal = AbortSignal.timeout(KILL_TIMEOUT_MS);
      const outcome = await sandbox.cancel(actionId, signal);
      if (outcome !== null) outcomes[actionId] = outcome;
      const status = await sandbox.status(actionId, signal);
      if (status !== null) connections[actionId] = status.connections;
    } catch (error) {
      if (!isAishError(error)) throw error;
    }
  }
  return { outcomes, connections };
}
