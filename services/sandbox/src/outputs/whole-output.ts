import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** This text marks the place where bytes are omitted. */
const JOINT = '\n…\n';

/**
 * Writes the output of a run to disk once it exceeds the part that is kept in memory. The output is written directly
 * and never held in memory. If the disk is full, only the file is lost, not the run.
 */
export class WholeOutput {
  private fd: number | null = null;
  private written = 0;
  private isFull = false;
  private isOver = false;

  /**
   * @param path of the file while the run lasts
   * @param maxBytes the maximum number of UTF-8 bytes that are kept from the beginning. The end of the output follows
   * them.
   * @param endPath returns the path of the complete file. `omittedBytes` is the number of bytes between beginning and
   * end.
   * @param onError is called once with the reason if the file cannot be written
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

  /** Whether the file needs everything printed so far, because that is now too much to keep in memory. */
  get isWanted(): boolean {
    return this.fd === null && !this.isOver && this.maxBytes > 0;
  }

  /** Starts the file. @param text everything printed so far */
  begin(text: string): void {
    this.attempt(() => {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      this.fd = openSync(this.path, 'w', 0o600);
      this.write(text);
    });
  }

  /** Appends output while there is space. */
  add(text: string): void {
    if (this.fd !== null && !this.isFull) this.attempt(() => this.write(text));
  }

  /**
   * Ends the file. Only the first call has an effect.
   * @param printedBytes the number of bytes that the run printed. @param tail the last of them
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

  /** Discards the file, because the output will be read again from the beginning. */
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
    // The cut must not split a character.
    while (size < bytes.length && size > 0 && ((bytes[size] ?? 0) & 0xc0) === 0x80) size--;
    for (let at = 0; at < size;) at += writeSync(this.fd, bytes, at, size - at);
    this.written += size;
    // Once a piece does not fit, no later piece is added.
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
