import { DELETED_PATHS_MAX, EFFECT_PATHS_MAX } from '@aish/contracts/limits';
import { HELD_ITEMS_MAX, type Effects, type Held, type HeldFolders } from '@aish/contracts/effects';
import { sortByLoss } from '@aish/contracts/effect-lines';

/** The changes that a run made in held host folders and that are not written to the host yet. */
export interface FolderChanges {
  readonly effects: Effects;
  readonly deleted: Held['deleted'];
  readonly overwritten: Held['overwritten'];
  readonly items: NonNullable<Held['items']>;
  readonly refused: NonNullable<Held['refused']>;
  readonly conflicts: readonly string[];
  /** Whether a person must approve the changes first. */
  readonly asks: boolean;
  readonly folders: Omit<HeldFolders, 'conflicts'>;
}

type Share = Effects['deleted'];

/** Combines all effects of a run, beginning with those on host folders. */
export function joinEffects(inFolders: Effects, inWorkspace: Effects | undefined): Effects {
  if (inWorkspace === undefined) return inFolders;
  const join = (kind: 'created' | 'changed' | 'deleted', most: number): Share => ({
    files: inFolders[kind].files + inWorkspace[kind].files,
    bytes: inFolders[kind].bytes + inWorkspace[kind].bytes,
    paths: [...inFolders[kind].paths, ...inWorkspace[kind].paths].slice(0, most),
  });
  return {
    created: join('created', EFFECT_PATHS_MAX),
    changed: join('changed', EFFECT_PATHS_MAX),
    deleted: join('deleted', DELETED_PATHS_MAX),
    complete: inFolders.complete && inWorkspace.complete,
  };
}

/** Returns the reasons why the changes of a run wait for a verdict, in its workspace and in host folders. */
export function joinHeld(inFolders: FolderChanges, inWorkspace: Held | undefined, conflicts: readonly string[]): Held {
  const sum = (one: Held['deleted'], other: Held['deleted'] = { files: 0, bytes: 0 }) => ({
    files: one.files + other.files,
    bytes: one.bytes + other.bytes,
  });
  return {
    verdict: 'waiting',
    deleted: sum(inFolders.deleted, inWorkspace?.deleted),
    overwritten: sum(inFolders.overwritten, inWorkspace?.overwritten),
    own: inWorkspace?.own ?? null,
    items: sortByLoss([...inFolders.items, ...(inWorkspace?.items ?? [])]).slice(0, HELD_ITEMS_MAX),
    ...(inWorkspace?.diff === undefined ? {} : { diff: inWorkspace.diff }),
    refused: [...inFolders.refused, ...(inWorkspace?.refused ?? [])],
    ...(inWorkspace?.approved === undefined ? {} : { approved: inWorkspace.approved }),
    folders: { ...inFolders.folders, conflicts: [...conflicts] },
  };
}
