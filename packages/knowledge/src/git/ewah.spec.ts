import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { ByteReader } from './byte-reader.js';
import { readEwah, writeEwah } from './ewah.js';

const read = (bytes: Buffer, limit = 1_000) => readEwah(new ByteReader(bytes), limit);

describe('a bitmap of git’s', () => {
  it('is read as it was written, wherever its ones are, and as long as it says', () => {
    const positions = fc.oneof(
      fc.uniqueArray(fc.integer({ min: 0, max: 400 }), { maxLength: 400 }),
      fc.uniqueArray(fc.integer({ min: 0, max: 2 ** 31 }), { maxLength: 50 }),
    );
    fc.assert(
      fc.property(positions, (unsorted) => {
        const sorted = unsorted.toSorted((a, b) => a - b);
        const from = new ByteReader(Buffer.concat([writeEwah(sorted), Buffer.from('rest')]));
        expect(readEwah(from, 400)).toEqual(sorted);
        expect(from.bytesOf(4).toString()).toBe('rest');
      }),
    );
  });

  it('may hold runs of ones, which are not followed without end', () => {
    const words = (...halves: number[]): Buffer => {
      const buffer = Buffer.alloc(halves.length * 4 + 12);
      buffer.writeUInt32BE(halves.length / 2, 4);
      for (const [n, half] of halves.entries()) buffer.writeUInt32BE(half, 8 + n * 4);
      return buffer;
    };
    // One word of ones, one that stands as it is; then a word of zeros and nothing.
    const ones = Array.from({ length: 64 }, (_, n) => n);
    expect(read(words(2, 3, 0x8000_0000, 1, 0, 2))).toEqual([...ones, 64, 127]);
    expect(() => read(words(1, 0xffff_ffff))).toThrow(expect.objectContaining({ code: 'knowledge_git' }));
    expect(() => read(words(2, 3))).toThrow(expect.objectContaining({ code: 'knowledge_git' }));
  });
});
