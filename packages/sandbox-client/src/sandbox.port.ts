import type { RunOutcome } from '@aish/contracts/actions';
import type { HostFolderOffer } from '@aish/contracts/host-folders';
import type { RunImage } from '@aish/contracts/images';
import type { NetworkConnectionList, NetworkPolicy } from '@aish/contracts/network';
import { isAishError } from '@aish/contracts/problems';
import type { RunFrame, RunRequestInput, RunStatus, SandboxStatus, SettleHeld } from '@aish/contracts/runs';
import type { BoundFile, ExecutionContext } from '@aish/contracts/execution-context';

/** The facts about a command that are known before it is written. */
export interface NextRun {
  readonly workspaceId: string;
  readonly hostFolders: readonly string[];
  /** Whether each `ssh` of the command asks the runner. */
  readonly hosts?: boolean;
  /** Whether no person waits for the command. */
  readonly background: boolean;
  /** The image of the command; if absent, the sandbox's own. */
  readonly image?: RunImage;
}

/** Runs commands in disposable containers. */
export abstract class Sandbox {
  /**
   * Runs `command` once per `runId`. A known ID attaches to that run instead of starting another. Output arrives in
   * order and ends with exactly one `exit`. Aborting does not end the run: it continues, and callers may attach again.
   *
   * @throws AishError `sandbox_unreachable`, `engine_unavailable`, `image_missing`, `runtime_missing`, `mount_missing`,
   *   `disk_full`, `too_many`, `service_stopping`: nothing has begun. `sandbox_interrupted`: the run may have begun;
   *   ask `status`. `run_lost`: nobody knows how it ended. `workspace_held` with `{ run }`: nothing has begun, because
   *   the held changes of that run must be settled first. `hold_unavailable`: nothing has begun, because the run could
   *   not be undone. `command_too_long`, `invalid_body`, `mount_not_allowed`: it will never run.
   *   `execution_context_changed`: nothing has begun, and a person has to approve the new execution context. `aborted`:
   *   the signal.
   */
  abstract run(request: RunRequestInput, signal: AbortSignal): AsyncIterable<Exclude<RunFrame, { type: 'error' }>>;

  /**
   * Returns the execution context of a workspace's next command. A run that names its digest as `expectedContextDigest`
   * starts in no other context.
   *
   * @param uses the variables that the command may read (`usedNames`).
   * @param hostFolders the command's host folders; direct writes to one are not `undoable`.
   * @param files whose content is part of the digest; the run must name the same files.
   */
  abstract executionContext(
    workspaceId: string,
    signal: AbortSignal,
    uses?: readonly string[],
    carryOver?: boolean,
    hostFolders?: readonly string[],
    files?: readonly BoundFile[],
  ): Promise<ExecutionContext>;

  /** Returns the status of a run, or null if the sandbox does not know the run. */
  abstract status(runId: string, signal: AbortSignal): Promise<RunStatus | null>;

  /** Kills the container of a run. Returns how the run ended, or null if that is unknown. */
  abstract cancel(runId: string, signal: AbortSignal): Promise<RunOutcome | null>;

  /**
   * Settles the held changes of a run: they are kept or rolled back. Repeating it changes nothing.
   *
   * @throws AishError `locked` while something uses the workspace.
   */
  abstract settle(
    workspaceId: string,
    runId: string,
    verdict: SettleHeld['verdict'],
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Prepares a container for a workspace's next command. Without it, the command starts later.
   *
   * @returns whether a container is ready.
   */
  abstract prepare(next: NextRun, signal: AbortSignal): Promise<boolean>;

  /** Returns the network policy of a workspace. */
  abstract networkPolicy(workspaceId: string, signal: AbortSignal): Promise<NetworkPolicy>;

  /**
   * Sets the network policy and cuts open connections. Only people may cause this: nothing that a model says may call
   * it.
   */
  abstract setNetworkPolicy(workspaceId: string, policy: NetworkPolicy, signal: AbortSignal): Promise<NetworkPolicy>;

  /** Sets the initial network policy, unless one was set before. */
  abstract beginNetworkPolicy(workspaceId: string, policy: NetworkPolicy, signal: AbortSignal): Promise<void>;

  /** Returns the newest connections of a workspace, oldest first, as far as the sandbox remembers them. */
  abstract networkConnections(workspaceId: string, signal: AbortSignal): Promise<NetworkConnectionList>;

  /** Returns whether commands can run, why not, and the available host folders. */
  abstract describe(signal: AbortSignal): Promise<SandboxStatus>;
}

const DESCRIBE_TIMEOUT_MS = 3_000;

/** Returns the available host folders; null while the sandbox is unavailable. */
export async function hostFolderOffers(sandbox: Pick<Sandbox, 'describe'>): Promise<readonly HostFolderOffer[] | null> {
  try {
    return (await sandbox.describe(AbortSignal.timeout(DESCRIBE_TIMEOUT_MS))).hostFolders;
  } catch (error) {
    if (!isAishError(error)) throw error;
    return null;
  }
}
