import { AishError } from '@aish/contracts';

/** Reads one of git's binary files from front to back, in network byte order, and never past its end. */
export class ByteReader {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  /** @throws AishError `knowledge_git` when fewer are left, as all that follow. */
  bytesOf(length: number): Buffer {
    if (length > this.bytes.length - this.at) throw this.broken('cut off');
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  part(length: number): ByteReader {
    return new ByteReader(this.bytesOf(length));
  }

  uint32(): number {
    return this.bytesOf(4).readUInt32BE();
  }

  /** Up to a `delimiter`, which is passed over. */
  bytesUntil(delimiter: number): Buffer {
    const start = this.at;
    const end = this.bytes.indexOf(delimiter, start);
    if (end === -1) throw this.broken('without its end');
    this.at = end + 1;
    return this.bytes.subarray(start, end);
  }

  /** The same, a byte a character: so any name survives, and sorts as git sorts. */
  textUntil(delimiter: number): string {
    return this.bytesUntil(delimiter).toString('latin1');
  }

  /** A number as offsets are in packs (gitformat-pack). */
  varint(): number {
    let byte = this.bytesOf(1)[0] ?? 0;
    let value = byte & 0x7f;
    while (byte >= 0x80) {
      byte = this.bytesOf(1)[0] ?? 0;
      value = (value + 1) * 128 + (byte & 0x7f);
      if (value > 0xffff_ffff) throw this.broken('a number too large');
    }
    return value;
  }

  isAtEnd(): boolean {
    return this.at === this.bytes.length;
  }

  broken(what: string): AishError {
    return new AishError('knowledge_git', `git’s index is not as it should be: ${what}`);
  }
}

export function varintOf(value: number): Buffer {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128) - 1; rest >= 0; rest = Math.floor(rest / 128) - 1) {
    bytes.unshift(128 + (rest % 128));
  }
  return Buffer.from(bytes);
}
