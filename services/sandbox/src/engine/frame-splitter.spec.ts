import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { FrameSplitter, type StreamName } from './frame-splitter.js';

const frame = fc.record({
  stream: fc.constantFrom<StreamName>('stdout', 'stderr'),
  bytes: fc.uint8Array({ minLength: 0, maxLength: 40 }),
});

function encode({ stream, bytes }: { stream: StreamName; bytes: Uint8Array }): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream === 'stderr' ? 2 : 1;
  header.writeUInt32BE(bytes.length, 4);
  return Buffer.concat([header, bytes]);
}

describe('FrameSplitter', () => {
  it('FrameSplitter returns every byte in order, however the chunks split the frames', () => {
    fc.assert(
      fc.property(fc.array(frame), fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 }), (frames, sizes) => {
        const wire = Buffer.concat(frames.map(encode));
        const splitter = new FrameSplitter();
        const seen: Array<[StreamName, number]> = [];
        for (let at = 0, i = 0; at < wire.length; i++) {
          const size = sizes[i % sizes.length] ?? 1;
          for (const piece of splitter.push(wire.subarray(at, at + size))) {
            for (const byte of piece.bytes) seen.push([piece.stream, byte]);
          }
          at += size;
        }
        expect(seen).toEqual(frames.flatMap(({ stream, bytes }) => Array.from(bytes, (byte) => [stream, byte])));
      }),
    );
  });

  it('FrameSplitter accepts a chunk with very many tiny frames', () => {
    const one = encode({ stream: 'stderr', bytes: Buffer.from('x') });
    const pieces = new FrameSplitter().push(Buffer.concat(Array.from({ length: 100_000 }, () => one)));
    expect(pieces).toHaveLength(100_000);
  });
});
