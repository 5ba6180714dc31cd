export type StreamName = 'stdout' | 'stderr';

export interface Piece {
  readonly stream: StreamName;
  readonly bytes: Uint8Array;
}

const HEADER_BYTES = 8;

/**
 * Splits the engine's multiplexed output: 8 bytes of header (stream, 3 unused, length), then that many bytes.
 * docker-modem's own demuxer recurses once per frame and copies its whole buffer each time. A command that prints many
 * one-byte frames would overflow its stack.
 */
export class FrameSplitter {
  private readonly header = Buffer.alloc(HEADER_BYTES);
  private headerFilled = 0;
  private remaining = 0;

  /**
   * Returns the pieces of output in `chunk`, in order. A frame that crosses the end of the chunk arrives in several
   * pieces.
   */
  push(chunk: Uint8Array): Piece[] {
    const pieces: Piece[] = [];
    let at = 0;
    while (at < chunk.length) {
      if (this.remaining === 0) {
        const taken = Math.min(HEADER_BYTES - this.headerFilled, chunk.length - at);
        this.header.set(chunk.subarray(at, at + taken), this.headerFilled);
        this.headerFilled += taken;
        at += taken;
        if (this.headerFilled < HEADER_BYTES) break;
        this.remaining = this.header.readUInt32BE(4);
        this.headerFilled = 0;
        continue;
      }
      const end = Math.min(at + this.remaining, chunk.length);
      pieces.push({ stream: this.header[0] === 2 ? 'stderr' : 'stdout', bytes: chunk.subarray(at, end) });
      this.remaining -= end - at;
      at = end;
    }
    return pieces;
  }
}
