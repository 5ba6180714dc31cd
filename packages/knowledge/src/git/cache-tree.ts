import { ByteReader } from './byte-reader.js';

const OBJECT_NAME = 20;
/** Deeper than any path that a file system takes. */
const DEPTH_MAX = 2_100;

/**
 * The extension `TREE` of git's index, which knows the tree objects of folders, without those of the folders that `paths` are in: they
 * came, went or changed (gitformat-index, "Cache tree"). What is left is what `git update-index` leaves.
 * @param paths a byte a character. @throws AishError `knowledge_git`
 */
export function withoutTreesOf(extension: Buffer, paths: readonly string[]): Buffer {
  const from = new ByteReader(extension);
  const copied = copyTree(
    from,
    paths.map((path) => ['', ...path.split('/')]),
    0,
  );
  if (copied === null || !from.isAtEnd()) throw from.broken('no single root in TREE');
  return Buffer.concat(copied);
}

/** @returns null for a folder that has become a file. */
function copyTree(from: ByteReader, paths: readonly (readonly string[])[], depth: number): Buffer[] | null {
  if (depth > DEPTH_MAX) throw from.broken('TREE is too deep');
  const name = from.textUntil(0);
  const [, entries, subtrees] = /^(-1|\d+) (\d+)$/.exec(from.textUntil(0x0a)) ?? [];
  if (entries === undefined) throw from.broken('TREE without its counts');
  const object = entries === '-1' ? Buffer.alloc(0) : from.bytesOf(OBJECT_NAME);
  const below = paths.filter(([first]) => first === name).map((path) => path.slice(1));
  const kept: Buffer[][] = [];
  for (let n = 0; n < Number(subtrees); n += 1) {
    const copied = copyTree(from, below, depth + 1);
    if (copied !== null) kept.push(copied);
  }
  if (below.some(({ length }) => length === 0)) return null;
  const isKept = below.length === 0;
  const head = Buffer.from(`${name}\0${isKept ? entries : '-1'} ${kept.length}\n`, 'latin1');
  return [head, ...(isKept ? [object] : []), ...kept.flat()];
}
