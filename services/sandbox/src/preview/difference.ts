import type { CopyPreview } from '@aish/contracts/files';

const NAMES_MAX = 20;

/** One file, folder or link. What two of them have in common is not looked at; content is `sameContent`'s matter. */
interface ListedFile {
  readonly type: string;
  readonly sizeBytes: number;
  /** Times of content and of the inode: a command can set the first, not the second. */
  readonly times: string;
  /** Permissions, and where a link points. */
  readonly traits: string;
}

export type Listing = ReadonlyMap<string, ListedFile>;

/** Reads what preview.sh lists: five fields for each, a NUL behind every one. */
export function parseListing(bytes: Buffer): Listing {
  const fields = bytes.toString().split('\0');
  const listing = new Map<string, ListedFile>();
  for (let at = 0; at + 5 < fields.length; at += 5) {
    const [type = '', size, times = '', traits = '', name = ''] = fields.slice(at, at + 5);
    // A folder's size says nothing about what is in it.
    listing.set(name, { type, sizeBytes: type === 'd' ? 0 : Number(size), times, traits });
  }
  return listing;
}

/** Files of which only a look at their content tells whether they are what they were. */
export function candidates(before: Listing, after: Listing): string[] {
  return [...after].flatMap(([name, now]) => {
    const then = before.get(name);
    return then !== undefined && now.type === 'f' && isAlike(then, now) && then.times !== now.times ? [name] : [];
  });
}

/** @param sameContent those of the candidates whose content is as it was. */
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
