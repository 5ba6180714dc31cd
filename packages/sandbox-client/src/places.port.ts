import type { RunImage } from '@aish/contracts/images';
import type { NetworkPolicy, NetworkWay } from '@aish/contracts/network';
import type { SessionSandbox } from '@aish/contracts/sandboxes';

/** Where a session's workspace is. */
export type Place = SessionSandbox & {
  /** What its network policy begins with, as long as the sandbox does not have that. */
  readonly network: NetworkPolicy | null;
  /** Ways out that were given to it since, as long as the sandbox does not have them. */
  readonly networkMore: readonly NetworkWay[];
  /** What its commands run in; null: the sandbox's own image, with its own limits. */
  readonly image: RunImage | null;
};

/** Which sandbox service holds which workspace. A workspace is a session's, and has its id. */
export interface Places {
  /** Null when there is no such session. */
  find(workspaceId: string): Promise<Place | null>;
  /** The sandbox has the network policy that a workspace begins with. */
  networkBegun(workspaceId: string): Promise<void>;
  /** The sandbox knows these ways out now. Ways that were added since still have to be sent. */
  networkWidened(workspaceId: string, ways: readonly NetworkWay[]): Promise<void>;
  /** Places a workspace that has no place yet. @returns its place from now on: the first caller wins. */
  place(workspaceId: string, sandbox: string): Promise<string>;
  /** Where the workspace of a run is; null when nobody knows the run. */
  ofRun(runId: string): Promise<string | null>;
}
