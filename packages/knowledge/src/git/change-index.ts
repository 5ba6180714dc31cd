import { AishError } from '@aish/contracts';
import { withoutTreesOf } from './cache-tree.js';
import type { SplitIndex } from './index-format.js';
import type { SharedIndex } from './shared-index.js';

/** What becomes of paths, a byte a character: the head of the entry, or null where it goes. */
export type EntryChanges = ReadonlyMap<string, Buffer | null>;

/**
 * The index with some entries set and others gone, as `git update-index --add --remove` leaves it. Of the extensions those stay that
 * hold on (`TREE`, less what has changed, and `REUC`); the others are caches that git makes anew.
 * @throws AishError `knowledge_git` when `shared` is not its other part, or a path would be both file and folder.
 */
export function changeIndex(index: SplitIndex, shared: SharedIndex, changes: EntryChanges): SplitIndex {
  const positions = [...index.replaced.keys(), ...index.deleted];
  if (index.shared !== shared.hash || positions.some((at) => at >= shared.count))
    throw unfit('its shared part is another');
  const replaced = new Map(index.replaced);
  const deleted = new Set(index.deleted);
  const added = new Map(index.added);
  for (const [path, head] of changes) {
    const at = shared.find(path);
    const isShared = at >= 0 && !deleted.has(at);
    if (head === null) {
      added.delete(path);
      replaced.delete(at);
      if (at >= 0) deleted.add(at);
    } else if (isShared) replaced.set(at, head);
    else added.set(path, head);
  }
  const changed: SplitIndex = {
    ...index,
    replaced,
    deleted,
    added,
    extensions: extensionsAfter(index, [...changes.keys()]),
  };
  for (const [path, head] of changes) {
    if (head !== null && isFolderToo(changed, shared, path)) throw unfit(`${path} is a file and a folder`);
  }
  return changed;
}

/** How much of the index is not in its shared part. */
export function ownCount({ replaced, deleted, added }: SplitIndex): number {
  return replaced.size + deleted.size + added.size;
}

function extensionsAfter({ extensions }: SplitIndex, paths: readonly string[]): Map<string, Buffer> {
  const [trees, resolved] = [extensions.get('TREE'), extensions.get('REUC')];
  const kept = new Map<string, Buffer>();
  if (trees !== undefined) kept.set('TREE', withoutTreesOf(trees, paths));
  if (resolved !== undefined) kept.set('REUC', resolved);
  return kept;
}

function isFolderToo({ deleted, added }: SplitIndex, shared: SharedIndex, path: string): boolean {
  const has = (file: string): boolean => {
    const at = shared.find(file);
    return added.has(file) || (at >= 0 && !deleted.has(at));
  };
  for (let slash = path.indexOf('/'); slash !== -1; slash = path.indexOf('/', slash + 1)) {
    if (has(path.slice(0, slash))) return true;
  }
  const folder = `${path}/`;
  for (const at of shared.startingWith(folder)) if (!deleted.has(at)) return true;
  for (const other of added.keys()) if (other.startsWith(folder)) return true;
  return false;
}

function unfit(what: string): AishError {
  return new AishError('knowledge_git', `git’s index cannot be changed: ${what}`);
}
