import type { CopyPreview } from '@aish/contracts/files';

const NAMES_MAX = 20;

/** One file, folder or link in a listing. `sameContent` compares the contents of files. */
interface ListedFile {
  readonly type: string;
  readonly sizeBytes: number;
  /** The times of content and inode. A command can set the first, but not the second. */
  readonly times: string;
  /** The permissions, and the target of a link. */
  readonly traits: string;
}

export type Listing = ReadonlyMap<string, ListedFile>;

/** Parses the listing of preview.sh. Each entry has five fields, and NUL follows each field. */
export function parseListing(bytes: Buffer): Listing {
  const fields = bytes.toString().split('\0');
  const listing = new Map<string, ListedFile>();
  for (let at = 0; at + 5 < fields.length; at += 5) {
    const [type = '', size, times = '', traits = '', name = ''] = fields.slice(at, at + 5);
    // The size of a folder is ignored, because it does not depend on the folder's contents.
    listing.set(name, { type, sizeBytes: type === 'd' ? 0 : Number(size), times, traits });
  }
  return listing;
}

/** Returns the files whose content must be compared to tell whether they have changed. */
export function candidates(before: Listing, after: Listing): string[] {
  return [...after].flatMap(([name, now]) => {
    const then = before.get(name);
    return then !== undefined && now.type === 'f' && isAlike(then, now) && then.times !== now.times ? [name] : [];
  });
}

/** Returns the difference between two listings. @param sameContent the candidates with unchanged content */
export function difference(
  before: Listing,
  after: Listing,
  sameContent: ReadonlySet<string>,
): Pick<CopyPreview, 'removed' | 'changed' | 'added'> {
  const removed = [...before].filter(([name]) => !after.has(name));
  const added = [...after].filter(([name]) => !before.has(name));
  const unclear = new Set(candidates(before, after));
  const changed = [...after].filter(([name, now]) => {
    const then = before.get(name);
    if (then === undefined) return false;
    return !isAlike(then, now) || (unclear.has(name) && !sameContent.has(name));
  });
  return { removed: summary(removed), changed: summary(changed), added: summary(added) };
}

function isAlike(a: ListedFile, b: ListedFile): boolean {
  return a.type === b.type && a.sizeBytes === b.sizeBytes && a.traits === b.traits;
}

function summary(files: readonly (readonly [string, ListedFile])[]): CopyPreview['removed'] {
  return {
    count: files.length,
    sizeBytes: files.reduce((sum, [, { sizeBytes }]) => sum + sizeBytes, 0),
    names: files
      .map(([name]) => name)
      .toSorted()
      .slice(0, NAMES_MAX),
  };
}
