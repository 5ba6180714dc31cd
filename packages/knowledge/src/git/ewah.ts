import type { ByteReader } from './byte-reader.js';

/** The size of a bitmap is a number of 32 bits. */
const POSITION_MAX = 0xffff_fffe;

/**
 * Reads a bitmap as git keeps it in `link` and elsewhere: compressed by EWAH, 64-bit words in network byte
 * order (gitformat-bitmap, appendix A).
 * @returns the positions of its ones, ascending. @throws AishError `knowledge_git` when it is none, or has more than `limit` ones.
 */
export function readEwah(from: ByteReader, limit: number): number[] {
  from.uint32(); // the size in bits: git does not look at it either
  const words = from.uint32();
  const body = from.part(words * 8);
  from.uint32(); // where the last running-length word is, for those who append
  const positions: number[] = [];
  let word = 0;
  const take = (position: number): void => {
    if (positions.length >= limit || position > POSITION_MAX) throw body.broken('a bitmap with too much');
    positions.push(position);
  };
  while (!body.isAtEnd()) {
    // A running-length word: so many words of zeros or of ones, then so many that follow as they stand.
    const [high, low] = [body.uint32(), body.uint32()];
    const running = (low >>> 1) + (high & 1) * 2 ** 31;
    const literals = high >>> 1;
    if ((low & 1) === 1) for (let at = word * 64; at < (word + running) * 64; at += 1) take(at);
    word += running;
    for (let n = 0; n < literals; n += 1) {
      const [upper, lower] = [body.uint32(), body.uint32()];
      for (let bit = 0; bit < 32; bit += 1) if (((lower >>> bit) & 1) === 1) take(word * 64 + bit);
      for (let bit = 0; bit < 32; bit += 1) if (((upper >>> bit) & 1) === 1) take(word * 64 + 32 + bit);
      word += 1;
    }
  }
  return positions;
}

/** The bitmap with ones at `positions`, ascending; as `readEwah` reads it. */
export function writeEwah(positions: readonly number[]): Buffer {
  // Halves of words, the high one first. Runs of ones are written as they stand: few files change at once.
  const out: number[] = [];
  let lastRun = 0;
  let next = 0; // the first word that is not written yet
  for (let at = 0; at < positions.length;) {
    const first = wordOf(positions[at]);
    const literals: number[] = [];
    for (; at < positions.length && wordOf(positions[at]) <= first + literals.length / 2; at += 1) {
      const word = wordOf(positions[at]) - first;
      if (word === literals.length / 2) literals.push(0, 0);
      const bit = (positions[at] ?? 0) % 64;
      const half = word * 2 + (bit < 32 ? 1 : 0);
      literals[half] = ((literals[half] ?? 0) | (1 << (bit % 32))) >>> 0;
    }
    lastRun = out.length / 2;
    out.push(literals.length, (first - next) * 2, ...literals);
    next = first + literals.length / 2;
  }
  if (out.length === 0) out.push(0, 0);
  const buffer = Buffer.alloc(out.length * 4 + 12);
  buffer.writeUInt32BE(positions.length === 0 ? 0 : (positions.at(-1) ?? 0) + 1, 0);
  buffer.writeUInt32BE(out.length / 2, 4);
  for (const [n, half] of out.entries()) buffer.writeUInt32BE(half, 8 + n * 4);
  buffer.writeUInt32BE(lastRun, buffer.length - 4);
  return buffer;
}

function wordOf(position = 0): number {
  return Math.floor(position / 64);
}
