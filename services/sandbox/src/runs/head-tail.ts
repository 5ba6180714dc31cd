import { StringDecoder } from 'node:string_decoder';

/** Stands where the cut is. Its bytes count as kept. */
const JOINT = '\n…\n';
const JOINT_BYTES = Buffer.byteLength(JOINT);

/**
 * Keeps the head and the tail of a text of any length, in bounded memory.
 * @param maxBytes UTF-8 bytes of the result at most, 16 or more.
 */
export class HeadTail {
  private readonly head: Buffer;
  private headFilled = 0;
  /** A ring: the last bytes that went past the head. */
  private readonly ring: Buffer;
  private passed = 0;

  constructor(private readonly maxBytes: number) {
    const headBytes = Math.floor((maxBytes - JOINT_BYTES) / 2);
    this.head = Buffer.alloc(headBytes);
    this.ring = Buffer.alloc(maxBytes - headBytes);
  }

  /** UTF-8 bytes that came in all. */
  get pushedBytes(): number {
    return this.headFilled + this.passed;
  }

  push(text: string): void {
    let bytes = Buffer.from(text);
    const toHead = bytes.copy(this.head, this.headFilled);
    this.headFilled += toHead;
    bytes = bytes.subarray(toHead);
    // Only what will still be there afterwards is copied.
    const skipped = Math.max(0, bytes.length - this.ring.length);
    const at = (this.passed + skipped) % this.ring.length;
    const upToEnd = bytes.copy(this.ring, at, skipped);
    bytes.copy(this.ring, 0, skipped + upToEnd);
    this.passed += bytes.length;
  }

  /** Whether all that came would be kept with this, too. */
  hasRoomFor(text: string): boolean {
    return this.pushedBytes + Buffer.byteLength(text) <= this.maxBytes;
  }

  /** The last that came, as much as half of what is kept. A character is never split. */
  tail(): string {
    const from = this.passed % this.ring.length;
    if (this.passed < this.ring.length) return this.ring.subarray(0, this.passed).toString();
    return fromCharacter(Buffer.concat([this.ring.subarray(from), this.ring.subarray(0, from)])).toString();
  }

  /** What was kept; a character is never split. `omittedBytes` counts what lies between head and tail, 0 if nothing. */
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
