/** A message between the `ssh` of a container and this service (scripts/ssh.py). */
export interface Frame {
  readonly kind: string;
  readonly bytes: Buffer;
}

const HEAD_BYTES = 5;
const FRAME_MAX_BYTES = 1 << 20;
const LINE_MAX_BYTES = 512 * 1024;
const NEWLINE = 0x0a;

export function frame(kind: string, bytes: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.write(kind, 0, 'latin1');
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** Reads one line, then frames, from pieces of any size. @throws Error if a line or frame is malformed or too long. */
export class FrameReader {
  private rest: Buffer = Buffer.alloc(0);
  private readonly pieces: AsyncIterator<Uint8Array>;

  constructor(source: AsyncIterable<Uint8Array>) {
    this.pieces = source[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.rest.indexOf(NEWLINE);
      if (end >= 0)
        return this.cut(end + 1)
          .subarray(0, end)
          .toString('utf8');
      if (this.rest.length > LINE_MAX_BYTES) throw new Error('a line is too long');
      if (!(await this.more())) throw new Error('ended within a line');
    }
  }

  async *frames(): AsyncGenerator<Frame> {
    for (;;) {
      while (this.rest.length < HEAD_BYTES) if (!(await this.more())) return;
      const length = this.rest.readUInt32BE(1);
      if (length > FRAME_MAX_BYTES) throw new Error('a frame is too long');
      while (this.rest.length < HEAD_BYTES + length) if (!(await this.more())) return;
      const whole = this.cut(HEAD_BYTES + length);
      yield { kind: whole.toString('latin1', 0, 1), bytes: whole.subarray(HEAD_BYTES) };
    }
  }

  private cut(length: number): Buffer {
    const cut = this.rest.subarray(0, length);
    this.rest = this.rest.subarray(length);
    return cut;
  }

  private async more(): Promise<boolean> {
    const { done, value } = await this.pieces.next();
    if (done === true) return false;
    this.rest = this.rest.length === 0 ? Buffer.from(value) : Buffer.concat([this.rest, value]);
    return true;
  }
}
