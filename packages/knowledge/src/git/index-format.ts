import { createHash } from 'node:crypto';
import { ByteReader, varintOf } from './byte-reader.js';
import { readEwah, writeEwah } from './ewah.js';

/** Stat data, mode, name of the object, flags: what an entry has before its path. */
export const ENTRY_HEAD = 62;
const HASH = 20;
const FLAGS_AT = 60;
const MTIME_AT = 8;
/** Assumed valid, extended, stage: nothing that aish writes has these. */
const FLAGS_FOREIGN = 0xf000;
const LENGTH_MAX = 0xfff;
/** More in the file itself than anybody leaves there: git packs it long before. */
const OWN_MAX = 100_000;

/**
 * Git's index in two parts (gitformat-index, "Split index"): `sharedindex.<shared>`, which is never changed, and this, which says
 * how to differ from it. Paths here are a byte a character, entries their heads as they stand in the file.
 */
export interface SplitIndex {
  readonly version: 2 | 4;
  /** The checksum of the shared part, hexadecimal. */
  readonly shared: string;
  /** What stands in place of entries of the shared part, by position. */
  readonly replaced: ReadonlyMap<number, Buffer>;
  /** Positions of the shared part that are left out. */
  readonly deleted: ReadonlySet<number>;
  /** What the shared part has not, by path. */
  readonly added: ReadonlyMap<string, Buffer>;
  /** Those that hold for this index, besides `link`. */
  readonly extensions: ReadonlyMap<string, Buffer>;
}

/** @throws AishError `knowledge_git` for whatever is not exactly understood: git itself has to do then. */
export function parseIndex(file: Buffer): SplitIndex {
  const { version, count, from } = openIndex(file);
  const entries = readEntries(from, version, count);
  const extensions = readExtensions(from);
  const link = extensions.get('link');
  if (link === undefined) throw from.broken('not split');
  extensions.delete('link');
  const linked = new ByteReader(link);
  const shared = linked.bytesOf(HASH).toString('hex');
  // Without bitmaps, or without a shared part, git is on its way from one form to the other.
  if (/^0+$/.test(shared) || linked.isAtEnd()) throw from.broken('half split');
  const deleted = new Set(readEwah(linked, OWN_MAX));
  const positions = readEwah(linked, OWN_MAX);
  const replaced = new Map(positions.map((position, n) => [position, entries[n]?.head ?? Buffer.alloc(0)]));
  const added = new Map(entries.slice(positions.length).map(({ path, head }) => [path, head]));
  const isWhole =
    linked.isAtEnd() &&
    entries.every(({ path }, n) => (path === '') === n < positions.length) &&
    replaced.size + added.size === entries.length &&
    positions.every((position) => !deleted.has(position));
  if (!isWhole) throw from.broken('its parts do not fit');
  return { version, shared, replaced, deleted, added, extensions };
}

/** As `parseIndex` reads it, checksum included. */
export function serializeIndex(index: SplitIndex): Buffer {
  const { version } = index;
  const replaced = [...index.replaced].toSorted(([a], [b]) => a - b);
  const added = [...index.added].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const entries = [...replaced.map(([, head]) => ['', head] as const), ...added];
  const parts: Buffer[] = [];
  parts.push(headed('DIRC', version, entries.length), entriesOf(entries, version));
  const link = Buffer.concat([
    Buffer.from(index.shared, 'hex'),
    writeEwah([...index.deleted].toSorted((a, b) => a - b)),
    writeEwah(replaced.map(([position]) => position)),
  ]);
  for (const [name, body] of [['link', link] as const, ...index.extensions])
    parts.push(headed(name, body.length), body);
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** The header of an index file whose checksum is right; `from` is where its entries begin. @throws AishError `knowledge_git` */
export function openIndex(file: Buffer): {
  readonly version: 2 | 4;
  readonly count: number;
  readonly from: ByteReader;
} {
  const whole = new ByteReader(file);
  const from = whole.part(Math.max(0, file.length - HASH));
  const checksum = createHash('sha1').update(file.subarray(0, -HASH)).digest();
  if (!checksum.equals(whole.bytesOf(HASH))) throw whole.broken('its checksum is another');
  const signature = from.bytesOf(4).toString('latin1');
  const version = from.uint32();
  if (signature !== 'DIRC' || (version !== 2 && version !== 4)) throw whole.broken(`of version ${version}`);
  return { version, count: from.uint32(), from };
}

/** Seconds in which the file was last written, by its entry. */
export function mtimeOf(head: Buffer): number {
  return head.readUInt32BE(MTIME_AT);
}

/** Whether an entry is a plain one: of no merge, neither assumed valid nor skipped nor only intended. */
export function isPlain(head: Buffer): boolean {
  return (head.readUInt16BE(FLAGS_AT) & FLAGS_FOREIGN) === 0;
}

/** How long a path is with the NULs after it in version 2, where entries are of a multiple of eight bytes. */
export function paddedLength(length: number): number {
  return Math.floor((ENTRY_HEAD + length) / 8 + 1) * 8 - ENTRY_HEAD;
}

function readEntries(from: ByteReader, version: 2 | 4, count: number): { path: string; head: Buffer }[] {
  if (count > OWN_MAX) throw from.broken('too much that is not shared');
  const entries: { path: string; head: Buffer }[] = [];
  let before = '';
  for (let n = 0; n < count; n += 1) {
    const head = from.bytesOf(ENTRY_HEAD);
    if (!isPlain(head)) throw from.broken('an entry that is not plain');
    let path: string;
    if (version === 4) {
      const stripped = from.varint();
      if (stripped > before.length) throw from.broken('a path longer than the one before');
      path = before.slice(0, before.length - stripped) + from.textUntil(0);
    } else {
      path = from.textUntil(0);
      from.bytesOf(paddedLength(path.length) - path.length - 1);
    }
    if ((head.readUInt16BE(FLAGS_AT) & LENGTH_MAX) !== Math.min(path.length, LENGTH_MAX)) {
      throw from.broken('a path of another length');
    }
    entries.push({ path, head });
    before = path;
  }
  return entries;
}

function readExtensions(from: ByteReader): Map<string, Buffer> {
  const extensions = new Map<string, Buffer>();
  while (!from.isAtEnd()) {
    const name = from.bytesOf(4).toString('latin1');
    const body = from.bytesOf(from.uint32());
    if (!/^[A-Z]/.test(name) && name !== 'link') throw from.broken(`${name} has to be understood`);
    extensions.set(name, body);
  }
  return extensions;
}

/** The entries in the order given. */
function entriesOf(entries: readonly (readonly [path: string, head: Buffer])[], version: 2 | 4): Buffer {
  // A varint takes two bytes where paths are shorter than 16 512, and version 2 pads with eight at most.
  const buffer = Buffer.alloc(entries.reduce((size, [path]) => size + ENTRY_HEAD + path.length + 8, 0));
  let at = 0;
  let before = '';
  for (const [path, head] of entries) {
    head.copy(buffer, at);
    buffer.writeUInt16BE(Math.min(path.length, LENGTH_MAX), at + FLAGS_AT);
    at += ENTRY_HEAD;
    if (version === 2) {
      buffer.write(path, at, 'latin1');
      at += paddedLength(path.length);
    } else {
      const common = commonLength(path, before);
      at += varintOf(before.length - common).copy(buffer, at);
      at += buffer.write(path.slice(common), at, 'latin1') + 1;
    }
    before = path;
  }
  return buffer.subarray(0, at);
}

function commonLength(a: string, b: string): number {
  let common = 0;
  while (common < a.length && common < b.length && a[common] === b[common]) common += 1;
  return common;
}

function headed(name: string, ...numbers: readonly number[]): Buffer {
  const buffer = Buffer.alloc(4 + numbers.length * 4, name, 'latin1');
  for (const [n, number] of numbers.entries()) buffer.writeUInt32BE(number, 4 + n * 4);
  return buffer;
}
