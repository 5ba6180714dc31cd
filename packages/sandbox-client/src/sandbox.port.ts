import type { RunOutcome } from '@aish/contracts/actions';
import type { HostFolderOffer } from '@aish/contracts/host-folders';
import type { RunImage } from '@aish/contracts/images';
import type { NetworkConnectionList, NetworkPolicy } from '@aish/contracts/network';
import { isAishError } from '@aish/contracts/problems';
import type { RunFrame, RunRequestInput, RunStatus, SandboxStatus, SettleHeld } from '@aish/contracts/runs';
import type { BoundFile, CommandSurroundings } from '@aish/contracts/surroundings';

/** What is known of a command before it is. */
export interface NextRun {
  readonly workspaceId: string;
  readonly hostFolders: readonly string[];
  /** Whether its `ssh` asks its driver. */
  readonly hosts?: boolean;
  /** Whether no person waits for it. */
  readonly background: boolean;
  /** What it runs in; without it in the sandbox's own image. */
  readonly image?: RunImage;
}

/** Runs commands in disposable containers. */
export abstract class Sandbox {
  /**
   * Runs `command` once per `runId`; a known id attaches to that run instead of starting another. Output comes in order
   * and ends with exactly one `exit`. Aborting leaves the run alone: it goes on, and may be attached to again.
   * @throws AishError `sandbox_unreachable`, `engine_unavailable`, `image_missing`, `runtime_missing`, `mount_missing`,
   *   `disk_full`, `too_many`, `service_stopping`:
   *   nothing has begun. `sandbox_interrupted`: it may have begun; ask `status`. `run_lost`: nobody knows how it ended.
   *   `workspace_held` with `{ run }`: nothing has begun, what that run did is to be settled first. `hold_unavailable`:
   *   nothing has begun, as it could not be taken back.
   *   `command_too_long`, `invalid_body`, `mount_not_allowed`: it will never run. `surroundings_changed`: nothing has
   *   begun, and a person has to approve the new execution context. `aborted`: the signal.
   */
  abstract run(request: RunRequestInput, signal: AbortSignal): AsyncIterable<Exclude<RunFrame, { type: 'error' }>>;

  /**
   * What the next command of a workspace begins in, as far as it changes what commands mean. Its digest, named as
   * `expectedSurroundings` of a run, keeps that from starting in any other.
   * @param uses the variables that the command may read (`usedNames`).
   * @param hostFolders those that it gets: what it writes to one directly is not `undoable`.
   * @param files whose content is to be part of the digest; a run that names that names the same files.
   */
  abstract surroundings(
    workspaceId: string,
    signal: AbortSignal,
    uses?: readonly string[],
    carryOver?: boolean,
    hostFolders?: readonly string[],
    files?: readonly BoundFile[],
  ): Promise<CommandSurroundings>;

  /** What became of a run, or null when the sandbox has never heard of it. */
  abstract status(runId: string, signal: AbortSignal): Promise<RunStatus | null>;

  /** Kills the container of a run. Returns how it ended, or null when nobody knows. */
  abstract cancel(runId: string, signal: AbortSignal): Promise<RunOutcome | null>;

  /**
   * Says what becomes of what a run did that is held: it counts, or it is as if the run had never been. Done again it
   * changes nothing. @throws AishError `locked` while something uses the workspace.
   */
  abstract settle(
    workspaceId: string,
    runId: string,
    verdict: SettleHeld['verdict'],
    signal: AbortSignal,
  ): Promise<void>;

  /**
   * Makes a container ready for the next command of a workspace. Costs nothing but time to leave out.
   * @returns whether one waits now.
   */
  abstract prepare(next: NextRun, signal: AbortSignal): Promise<boolean>;

  /** What commands of a workspace may reach. */
  abstract networkPolicy(workspaceId: string, signal: AbortSignal): Promise<NetworkPolicy>;

  /** Sets it; open connections are cut. For people alone: nothing that a model says may lead here. */
  abstract setNetworkPolicy(workspaceId: string, policy: NetworkPolicy, signal: AbortSignal): Promise<NetworkPolicy>;

  /** Sets it unless it was ever set: what a workspace begins with. */
  abstract beginNetworkPolicy(workspaceId: string, policy: NetworkPolicy, signal: AbortSignal): Promise<void>;

  /** The newest connections of a workspace, oldest first, as far as the sandbox remembers. */
  abstract networkConnections(workspaceId: string, signal: AbortSignal): Promise<NetworkConnectionList>;

  /** Whether commands can run, and if not why; and the host folders that may be asked for. */
  abstract describe(signal: AbortSignal): Promise<SandboxStatus>;
}

const DESCRIBE_TIMEOUT_MS = 3_000;

/** Folders of the host that commands may be given; null: the sandbox is away and says nothing now. */
export async function hostFolderOffers(sandbox: Pick<Sandbox, 'describe'>): Promise<readonly HostFolderOffer[] | null> {
  try {
    return (await sandbox.describe(AbortSignal.timeout(DESCRIBE_TIMEOUT_MS))).hostFolders;
  } catch (error) {
    if (!isAishError(error)) throw error;
    return null;
  }
}
