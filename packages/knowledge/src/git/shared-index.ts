import { ENTRY_HEAD, isPlain, mtimeOf, openIndex, paddedLength } from './index-format.js';

/**
 * The paths of a `sharedindex.*` file, to find where in it one is. It is made once for each such file, takes some 60 bytes for a
 * path, and is then asked in a time that does not grow with them.
 */
export class SharedIndex {
  private constructor(
    /** The checksum of the file, hexadecimal: its name. */
    readonly hash: string,
    /** Of all its entries, the latest second in which a file was written. */
    readonly lastMtime: number,
    /** All paths, sorted, one after the other. */
    private readonly paths: Buffer,
    private readonly ends: Uint32Array,
  ) {}

  get count(): number {
    return this.ends.length;
  }

  /** @throws AishError `knowledge_git` for what is not exactly understood. */
  static parse(file: Buffer): SharedIndex {
    const { version, count, from } = openIndex(file);
    const ends = new Uint32Array(Math.min(count, file.length));
    let paths = Buffer.alloc(file.length);
    let lastMtime = 0;
    let [start, end] = [0, 0]; // of the path before
    for (let n = 0; n < count; n += 1) {
      const head = from.bytesOf(ENTRY_HEAD);
      if (!isPlain(head)) throw from.broken('an entry that is not plain');
      lastMtime = Math.max(lastMtime, mtimeOf(head));
      const kept = version === 4 ? end - start - from.varint() : 0;
      if (kept < 0) throw from.broken('a path that takes more than the one before has');
      const rest = from.bytesUntil(0);
      if (version === 2) from.bytesOf(paddedLength(rest.length) - rest.length - 1);
      if (end + kept + rest.length > paths.length)
        paths = Buffer.concat([paths], paths.length * 2 + kept + rest.length);
      paths.copyWithin(end, start, start + kept);
      rest.copy(paths, end + kept);
      [start, end] = [end, end + kept + rest.length];
      ends[n] = end;
    }
    // A copy, so that it does not keep what was taken too much.
    return new SharedIndex(file.subarray(-20).toString('hex'), lastMtime, Buffer.from(paths.subarray(0, end)), ends);
  }

  /** @param path a byte a character. @returns its position in the file, or -1. */
  find(path: string): number {
    const wanted = Buffer.from(path, 'latin1');
    const at = this.firstFrom(wanted);
    return at < this.count && this.compare(at, wanted) === 0 ? at : -1;
  }

  pathAt(at: number): string {
    return this.paths.toString('latin1', this.startOf(at), this.ends[at]);
  }

  /** Positions. */
  *startingWith(text: string): Generator<number> {
    const wanted = Buffer.from(text, 'latin1');
    for (let at = this.firstFrom(wanted); at < this.count && this.pathAt(at).startsWith(text); at += 1) yield at;
  }

  private firstFrom(wanted: Buffer): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compare(middle, wanted) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  private compare(at: number, wanted: Buffer): number {
    return this.paths.compare(wanted, 0, wanted.length, this.startOf(at), this.ends[at]);
  }

  private startOf(at: number): number {
    return at === 0 ? 0 : (this.ends[at - 1] ?? 0);
  }
}
