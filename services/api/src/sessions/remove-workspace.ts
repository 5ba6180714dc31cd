import { isAishError } from '@aish/contracts/problems';
import type { Workspaces } from '@aish/sandbox-client';

const WORKSPACE_TIMEOUT_MS = 20_000;

/** Deletes a session's workspace. @throws AishError of the sandbox, unless the engine is unavailable */
export async function removeWorkspace(workspaces: Workspaces, sessionId: string): Promise<void> {
  await workspaces.remove(sessionId, AbortSignal.timeout(WORKSPACE_TIMEOUT_MS)).catch((error: unknown) => {
    // Deleting a session must not fail because the engine is unavailable.
    if (!isAishError(error, 'engine_unavailable')) throw error;
  });
}
