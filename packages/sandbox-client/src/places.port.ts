import type { SessionSandbox } from '@aish/contracts/sandboxes';

/** Which sandbox service holds which workspace. A workspace is a session's, and has its id. */
export interface Places {
  /** Null when there is no such session. */
  find(workspaceId: string): Promise<SessionSandbox | null>;
  /** Places a workspace that is nowhere yet. @returns where it is from now on: whoever was first counts. */
  place(workspaceId: string, sandbox: string): Promise<string>;
  /** Where the workspace of a run is; null when nobody knows the run. */
  ofRun(runId: string): Promise<string | null>;
}
