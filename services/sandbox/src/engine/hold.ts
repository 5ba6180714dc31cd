/**
 * Makes a container that mounts the volume of a workspace: while this lasts, the volume is there and nobody replaces it.
 * Everything that mounts one goes through it.
 */
export type Hold = <T>(workspaceId: string, make: () => Promise<T>) => Promise<T>;

/** A volume that shows a workspace as it was a moment ago, for one reader. */
export interface Reading {
  readonly volume: string;
  /** The reader has no container any more. */
  readonly close: () => Promise<void>;
}

/**
 * Makes such a volume, so that no reader mounts the workspace's own volume: a mounted volume cannot get a new layer.
 * Null where workspaces have no layers. There readers mount the workspace's own volume.
 */
export type Read = (workspaceId: string) => Promise<Reading | null>;

/** How containers get at the volume of a workspace, whose layers may change at any time. */
export interface VolumeAccess {
  /** Mounts the volume itself. */
  readonly hold: Hold;
  /** Looks at it while nobody makes it again. */
  readonly inTurn: Hold;
  readonly read: Read;
}
