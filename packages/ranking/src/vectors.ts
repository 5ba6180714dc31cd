import { openKernel } from './dot-kernel.js';

const PAGE_BYTES = 65_536;
const LANE = 16;
/** The value of a vector's largest number after scaling. The other numbers keep their ratio to it. */
const FULL = 127;

/**
 * Converts a vector to eight-bit numbers, so that a hundred thousand vectors with 768 numbers fit into 77 MB. The
 * length of the vector does not matter.
 */
export function quantised(vector: readonly number[] | Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest === 0 ? 0 : FULL / largest;
  return Int8Array.from(vector, (value) => Math.round(value * scale));
}

export interface Near {
  readonly key: number;
  /** The cosine of the angle between the two vectors; 1 means the same direction. */
  readonly likeness: number;
  /**
   * How significant the likeness is, from 0 to 1. In most models all texts point in nearly the same direction, so only
   * the difference counts.
   */
  readonly trust: number;
}

export interface Nearest {
  readonly near: readonly Near[];
  /** How many standard deviations the nearest vector is above the average; null if there are too few vectors. */
  readonly distance: number | null;
}

/** The minimum number of vectors, because fewer do not show the spread of a model. */
const ENOUGH = 100;
/** The number of bytes to search before other work runs, which takes about a millisecond. */
const BYTES_AT_ONCE = 4_194_304;
/** The number of interrupted attempts after which the search runs without pauses. */
const POLITE_TRIES = 3;

/** Vectors by key. Each search compares all of them, so it is exact, and fast enough for one person's notes. */
export class VectorSet {
  private readonly kernel = openKernel();
  private readonly stride: number;
  private keys: number[] = [];
  private lengths: number[] = [];
  private readonly rows = new Map<number, number>();
  private readonly rowsAtOnce: number;
  /** The number of added and removed rows. */
  private changes = 0;

  constructor(readonly dimensions: number) {
    this.stride = Math.ceil(dimensions / LANE) * LANE;
    this.rowsAtOnce = Math.max(1, Math.floor(BYTES_AT_ONCE / this.stride));
  }

  get size(): number {
    return this.keys.length;
  }

  /** Adds a vector, or replaces the one with the same key. */
  put(key: number, vector: Int8Array): void {
    if (vector.length !== this.dimensions)
      throw new RangeError(`A vector of ${vector.length} among ${this.dimensions}`);
    this.changes += 1;
    const row = this.rows.get(key) ?? this.keys.length;
    this.reserve((row + 1) * this.stride);
    // A query may have been stored there, so the padding must be set to zero.
    const bytes = new Int8Array(this.kernel.memory.buffer, row * this.stride, this.stride);
    bytes.fill(0);
    bytes.set(vector);
    this.rows.set(key, row);
    this.keys[row] = key;
    this.lengths[row] = lengthOf(vector);
  }

  remove(key: number): void {
    const row = this.rows.get(key);
    if (row === undefined) return;
    this.changes += 1;
    const last = this.keys.length - 1;
    const moved = this.keys[last] ?? key;
    new Int8Array(this.kernel.memory.buffer).copyWithin(
      row * this.stride,
      last * this.stride,
      (last + 1) * this.stride,
    );
    this.keys[row] = moved;
    this.lengths[row] = this.lengths[last] ?? 0;
    this.rows.set(moved, row);
    this.rows.delete(key);
    this.keys.pop();
    this.lengths.pop();
  }

  /**
   * Returns the nearest vectors, nearest first.
   *
   * @param othersFirst lets other work run. It is called every few megabytes, because a hundred thousand vectors with
   *   768 numbers take 15 ms.
   */
  async nearest(vector: Int8Array, limit: number, othersFirst: () => Promise<unknown>): Promise<Nearest> {
    for (let tries = 1; ; tries += 1) {
      const found = new Kept(limit);
      const began = this.changes;
      for (let from = 0; from < this.keys.length; from += this.rowsAtOnce) {
        if (from > 0 && tries <= POLITE_TRIES) await othersFirst();
        // The vectors may have moved by now.
        if (this.changes !== began) break;
        this.look(vector, from, Math.min(this.keys.length, from + this.rowsAtOnce), found);
      }
      if (this.changes === began) return found.nearest();
    }
  }

  private look(vector: Int8Array, from: number, to: number, found: Kept): void {
    if (vector.length !== this.dimensions) return;
    const query = this.keys.length * this.stride;
    const sums = query + this.stride;
    this.reserve(sums + 4 * (to - from));
    const bytes = new Int8Array(this.kernel.memory.buffer);
    bytes.fill(0, query, sums);
    bytes.set(vector, query);
    this.kernel.dot(from * this.stride, query, to - from, this.stride, sums);
    const length = lengthOf(vector);
    const products = new Int32Array(this.kernel.memory.buffer, sums, to - from);
    for (let row = from; row < to; row += 1) {
      const likeness = (products[row - from] ?? 0) / Math.max(1, (this.lengths[row] ?? 1) * length);
      found.add(this.keys[row] ?? 0, likeness);
    }
  }

  private reserve(bytes: number): void {
    const missing = bytes - this.kernel.memory.buffer.byteLength;
    if (missing > 0)
      this.kernel.memory.grow(Math.ceil(missing / PAGE_BYTES) + (this.kernel.memory.buffer.byteLength >> 19));
  }
}

function lengthOf(vector: Int8Array): number {
  return Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
}

/** Keeps the highest values without sorting all of them, and the spread of all values. */
class Kept {
  private readonly kept: Omit<Near, 'trust'>[] = [];
  private count = 0;
  private sum = 0;
  private squares = 0;

  constructor(private readonly limit: number) {}

  add(key: number, likeness: number): void {
    this.count += 1;
    this.sum += likeness;
    this.squares += likeness * likeness;
    const { kept } = this;
    if (kept.length === this.limit && likeness <= (kept.at(-1)?.likeness ?? 0)) return;
    let at = kept.length;
    while (at > 0 && (kept[at - 1]?.likeness ?? 0) < likeness) at -= 1;
    kept.splice(at, 0, { key, likeness });
    if (kept.length > this.limit) kept.pop();
  }

  nearest(): Nearest {
    const [first] = this.kept;
    const mean = this.sum / Math.max(1, this.count);
    const deviation = Math.sqrt(Math.max(0, this.squares / Math.max(1, this.count) - mean * mean));
    const isTold = first !== undefined && deviation > 0 && this.count >= ENOUGH;
    const usual = isTold ? Math.max(0, mean) : 0;
    const near = this.kept.map((each) => ({
      ...each,
      trust: Math.max(0, (each.likeness - usual) / (1 - usual)) ** 2,
    }));
    return { near, distance: isTold ? (first.likeness - mean) / deviation : null };
  }
}
