import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Stands where the cut is. */
const JOINT = '\n…\n';

/**
 * What a run prints, on disk, once it is more than is kept of every run. Written at once and never held in memory; a
 * disk that takes no more costs the file and never the run.
 */
export class WholeOutput {
  private fd: number | null = null;
  private written = 0;
  private isFull = false;
  private isOver = false;

  /**
   * @param path where it is while the run lasts.
   * @param maxBytes UTF-8 bytes of its beginning at most. The end follows.
   * @param endPath where it is then; `omittedBytes` are those between beginning and end.
   * @param onError told once why there is no file.
   */
  constructor(
    private readonly path: string,
    private readonly maxBytes: number,
    private readonly endPath: (omittedBytes: number) => string,
    private readonly onError: (error: unknown) => void,
  ) {}

  get isBegun(): boolean {
    return this.fd !== null;
  }

  /** Whether it wants all that was printed so far, now that this is too much for others. */
  get isWanted(): boolean {
    return this.fd === null && !this.isOver && this.maxBytes > 0;
  }

  /** @param text all that was printed so far. */
  begin(text: string): void {
    this.attempt(() => {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      this.fd = openSync(this.path, 'w', 0o600);
      this.write(text);
    });
  }

  /** Takes what comes next, as long as there is room. */
  add(text: string): void {
    if (this.fd !== null && !this.isFull) this.attempt(() => this.write(text));
  }

  /**
   * Ends it. The first call counts.
   * @param printedBytes of the run in all. @param tail the last of them.
   */
  end(printedBytes: number, tail: string): void {
    const { fd } = this;
    if (fd === null || this.isOver) return;
    this.attempt(() => {
      const last = Buffer.from(tail);
      const left = printedBytes - this.written;
      const isJoined = left <= last.length;
      writeSync(fd, isJoined ? last.subarray(last.length - left) : Buffer.from(JOINT + tail));
      closeSync(fd);
      this.fd = null;
      this.isOver = true;
      renameSync(this.path, this.endPath(isJoined ? 0 : left - last.length));
    });
  }

  /** All will come again, from the beginning. */
  drop(): void {
    if (this.fd === null) return;
    closeSync(this.fd);
    this.fd = null;
    this.written = 0;
    this.isFull = false;
    rmSync(this.path, { force: true });
  }

  private write(text: string): void {
    if (this.fd === null) return;
    const bytes = Buffer.from(text);
    let size = Math.min(bytes.length, this.maxBytes - this.written);
    // A character is never split.
    while (size < bytes.length && size > 0 && ((bytes[size] ?? 0) & 0xc0) === 0x80) size--;
    for (let at = 0; at < size;) at += writeSync(this.fd, bytes, at, size - at);
    this.written += size;
    // What does not go in any more is not followed by what would.
    this.isFull = size < bytes.length;
  }

  private attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.isOver = true;
      try {
        this.drop();
      } finally {
        this.onError(error);
      }
    }
  }
}
