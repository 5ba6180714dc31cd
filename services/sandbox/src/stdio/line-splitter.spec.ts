import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter } from './line-splitter.js';

describe('lines of a program', () => {
  it('LineSplitter returns the same lines however the bytes are split', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/g, ''))),
        fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
        (lines, sizes) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
          const splitter = new LineSplitter();
          const seen: string[] = [];
          for (let at = 0, n = 0; at < bytes.length; n += 1) {
            const size = sizes[n % sizes.length] ?? 1;
            seen.push(...(splitter.push(bytes.subarray(at, at + size)) ?? []));
            at += size;
          }
          expect(seen).toEqual(lines.map((line) => Buffer.from(line).toString()));
        },
      ),
    );
  });

  it('LineSplitter returns null for a line above the limit', () => {
    const splitter = new LineSplitter(10);
    expect(splitter.push(Buffer.from('short\r\n0123456789'))).toEqual(['short']);
    expect(splitter.push(Buffer.from('0'))).toBeNull();
  });
});
