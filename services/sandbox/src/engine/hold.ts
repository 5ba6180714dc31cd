/**
 * Makes a container that mounts the volume of a workspace: while this lasts, the volume is there and nobody replaces it.
 * Everything that mounts one goes through it.
 */
export type Hold = <T>(workspaceId: string, make: () => Promise<T>) => Promise<T>;
