/**
 * Creates a container that mounts the volume of a workspace. The volume exists during the call, and nobody replaces it.
 * All code that mounts a workspace's volume must use this function.
 */
export type Hold = <T>(workspaceId: string, make: () => Promise<T>) => Promise<T>;

/** A volume with a recent state of a workspace, for one reader. */
export interface Reading {
  readonly volume: string;
  /** Must be called when the reader no longer has a container. */
  readonly close: () => Promise<void>;
}

/**
 * Creates a volume for a reader, so that readers do not mount the workspace's own volume: a mounted volume cannot get a
 * new layer. Returns null if workspaces have no layers. Readers then mount the workspace's own volume.
 */
export type Read = (workspaceId: string) => Promise<Reading | null>;

/** Gives containers access to the volume of a workspace, whose layers may change at any time. */
export interface VolumeAccess {
  /** Mounts the volume into a container. */
  readonly hold: Hold;
  /** Uses the volume while nobody can replace it. */
  readonly inTurn: Hold;
  readonly read: Read;
}
