import { openKernel } from './dot-kernel.js';

const PAGE_BYTES = 65_536;
const LANE = 16;
/** Of the largest of its numbers; the rest keep their share. */
const FULL = 127;

/** A vector as eight-bit numbers: a hundred thousand of 768 fit into 77 MB. Its length does not matter. */
export function quantised(vector: readonly number[] | Float32Array): Int8Array {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest === 0 ? 0 : FULL / largest;
  return Int8Array.from(vector, (value) => Math.round(value * scale));
}

export interface Near {
  readonly key: number;
  /** The cosine of the angle between the two, 1 for the same direction. */
  readonly likeness: number;
}

/** Vectors by number, all looked at for each question: exact, and quick enough for what a person writes. */
export class VectorSet {
  private readonly kernel = openKernel();
  private readonly stride: number;
  private keys: number[] = [];
  private lengths: number[] = [];
  private readonly rows = new Map<number, number>();

  constructor(readonly dimensions: number) {
    this.stride = Math.ceil(dimensions / LANE) * LANE;
  }

  get size(): number {
    return this.keys.length;
  }

  /** Puts a vector in, in the place of the one with the same key. */
  put(key: number, vector: Int8Array): void {
    if (vector.length !== this.dimensions)
      throw new RangeError(`A vector of ${vector.length} among ${this.dimensions}`);
    const row = this.rows.get(key) ?? this.keys.length;
    this.reserve((row + 1) * this.stride);
    // Where it goes a question may have stood: what fills it up must be nothing.
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

  /** The nearest, nearest first. */
  nearest(vector: Int8Array, limit: number): Near[] {
    const count = this.keys.length;
    if (count === 0 || vector.length !== this.dimensions) return [];
    const query = count * this.stride;
    const sums = query + this.stride;
    this.reserve(sums + 4 * count);
    const bytes = new Int8Array(this.kernel.memory.buffer);
    bytes.fill(0, query, sums);
    bytes.set(vector, query);
    this.kernel.dot(0, query, count, this.stride, sums);
    const length = lengthOf(vector);
    const products = new Int32Array(this.kernel.memory.buffer, sums, count);
    return best(count, limit, (row) => (products[row] ?? 0) / Math.max(1, (this.lengths[row] ?? 1) * length)).map(
      ({ row, value }) => ({ key: this.keys[row] ?? 0, likeness: value }),
    );
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

/** The rows with the highest values, without sorting all. */
function best(count: number, limit: number, valueOf: (row: number) => number): { row: number; value: number }[] {
  const kept: { row: number; value: number }[] = [];
  for (let row = 0; row < count; row += 1) {
    const value = valueOf(row);
    if (kept.length === limit && value <= (kept.at(-1)?.value ?? 0)) continue;
    let at = kept.length;
    while (at > 0 && (kept[at - 1]?.value ?? 0) < value) at -= 1;
    kept.splice(at, 0, { row, value });
    if (kept.length > limit) kept.pop();
  }
  return kept;
}
