import type { RunImage } from '@aish/contracts/images';
import type { NetworkPolicy, NetworkDestination } from '@aish/contracts/network';
import type { SessionSandbox } from '@aish/contracts/sandboxes';

/** The location of a session's workspace. */
export type Place = SessionSandbox & {
  /** The initial network policy; null once the sandbox has it. */
  readonly network: NetworkPolicy | null;
  /** Later additions to the network policy that the sandbox does not have yet. */
  readonly networkMore: readonly NetworkDestination[];
  /** The image for the session's commands; null for the sandbox's own image and limits. */
  readonly image: RunImage | null;
};

/** Records which sandbox service has which workspace. A workspace belongs to a session and has its ID. */
export interface Places {
  /** Finds the place of a workspace; null if there is no such session. */
  find(workspaceId: string): Promise<Place | null>;
  /** Records that the sandbox has the initial network policy. */
  networkBegun(workspaceId: string): Promise<void>;
  /** Records that the sandbox has these additions. Later additions must still be sent. */
  networkWidened(workspaceId: string, ways: readonly NetworkDestination[]): Promise<void>;
  /**
   * Assigns a workspace that has no service yet.
   *
   * @returns the workspace's service from now on. The first caller wins.
   */
  place(workspaceId: string, sandbox: string): Promise<string>;
  /** Returns the service of a run's workspace; null if it is unknown. */
  ofRun(runId: string): Promise<string | null>;
}
