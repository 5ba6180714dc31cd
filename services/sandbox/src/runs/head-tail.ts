import { StringDecoder } from 'node:string_decoder';

/** This text marks the place where bytes are omitted. Its bytes count as kept. */
const JOINT = '\n…\n';
const JOINT_BYTES = Buffer.byteLength(JOINT);

/**
 * Keeps the head and tail of a text of any length, in bounded memory.
 * @param maxBytes the maximum number of UTF-8 bytes of the result, at least 16.
 */
export class HeadTail {
  private readonly head: Buffer;
  private headFilled = 0;
  /** A ring buffer for the last bytes after the head. */
  private readonly ring: Buffer;
  private passed = 0;

  constructor(private readonly maxBytes: number) {
    const headBytes = Math.floor((maxBytes - JOINT_BYTES) / 2);
    this.head = Buffer.alloc(headBytes);
    this.ring = Buffer.alloc(maxBytes - headBytes);
  }

  /** The total number of UTF-8 bytes received. */
  get pushedBytes(): number {
    return this.headFilled + this.passed;
  }

  push(text: string): void {
    let bytes = Buffer.from(text);
    const toHead = bytes.copy(this.head, this.headFilled);
    this.headFilled += toHead;
    bytes = bytes.subarray(toHead);
    // Only the bytes that remain afterwards are copied.
    const skipped = Math.max(0, bytes.length - this.ring.length);
    const at = (this.passed + skipped) % this.ring.length;
    const upToEnd = bytes.copy(this.ring, at, skipped);
    bytes.copy(this.ring, 0, skipped + upToEnd);
    this.passed += bytes.length;
  }

  /** Returns whether all text would still be kept if this text were added. */
  hasRoomFor(text: string): boolean {
    return this.pushedBytes + Buffer.byteLength(text) <= this.maxBytes;
  }

  /** Returns the last text, up to half of the kept size. Characters are never split. */
  tail(): string {
    const from = this.passed % this.ring.length;
    if (this.passed < this.ring.length) return this.ring.subarray(0, this.passed).toString();
    return fromCharacter(Buffer.concat([this.ring.subarray(from), this.ring.subarray(0, from)])).toString();
  }

  /**
   * Returns the kept text, without splitting characters. `omittedBytes` is the number of bytes omitted between head and
   * tail, or 0.
   */
  result(): { readonly text: string; readonly omittedBytes: number } {
    const head = this.head.subarray(0, this.headFilled);
    if (this.passed <= this.ring.length) {
      return { text: Buffer.concat([head, this.ring.subarray(0, this.passed)]).toString(), omittedBytes: 0 };
    }
    const from = this.passed % this.ring.length;
    const last = Buffer.concat([this.ring.subarray(from), this.ring.subarray(0, from)]);
    const headText = new StringDecoder('utf8').write(head);
    const tailBytes = fromCharacter(last.subarray(last.length - (this.maxBytes - this.head.length - JOINT_BYTES)));
    const kept = Buffer.byteLength(headText) + tailBytes.length;
    return {
      text: headText + JOINT + tailBytes.toString(),
      omittedBytes: this.headFilled + this.passed - kept,
    };
  }
}

function fromCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.subarray(start);
}
