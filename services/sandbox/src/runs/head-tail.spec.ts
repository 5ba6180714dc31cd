import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { HeadTail } from './head-tail.js';

const text = fc.string({ unit: 'binary', maxLength: 60 });
const bytes = (value: string) => Buffer.byteLength(value);

function keep(pieces: readonly string[], maxBytes: number) {
  const kept = new HeadTail(maxBytes);
  for (const piece of pieces) kept.push(piece);
  return kept.result();
}

describe('HeadTail', () => {
  it('HeadTail does not change a text that fits', () => {
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 0, max: 50 }), (pieces, spare) => {
        const all = pieces.join('');
        expect(keep(pieces, Math.max(16, bytes(all)) + spare)).toEqual({ text: all, omittedBytes: 0 });
      }),
    );
  });

  it('HeadTail keeps the head and tail of a longer text, splits no character and counts the omitted bytes', () => {
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 16, max: 200 }), (pieces, maxBytes) => {
        const all = pieces.join('');
        fc.pre(bytes(all) > maxBytes);
        const result = keep(pieces, maxBytes);
        expect(bytes(result.text)).toBeLessThanOrEqual(maxBytes);
        const head = result.text.slice(0, result.text.indexOf('\n…\n', commonPrefix(all, result.text) - 3));
        const tail = result.text.slice(head.length + 3);
        expect(all.startsWith(head)).toBe(true);
        expect(all.endsWith(tail)).toBe(true);
        expect(result.omittedBytes).toBe(bytes(all) - bytes(head) - bytes(tail));
        // A cut next to a wide character may leave up to three bytes unused in each half.
        expect(bytes(head) + bytes(tail)).toBeGreaterThanOrEqual(maxBytes - 5 - 6);
      }),
    );
  });

  it('HeadTail returns the same result however the text is split into pieces', () => {
    fc.assert(
      fc.property(fc.array(text), fc.integer({ min: 16, max: 100 }), (pieces, maxBytes) => {
        expect(keep(pieces, maxBytes)).toEqual(keep([pieces.join('')], maxBytes));
      }),
    );
  });
});

function commonPrefix(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return Math.max(3, length);
}
