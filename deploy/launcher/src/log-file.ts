import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

/** A log that several processes may write to, and that stays small. */
export interface LogFile {
  readonly path: string;
  /** For a child to write to by itself. */
  readonly fd: number;
  write(text: string): void;
  /** Sets a full log aside as `<path>.1`, which replaces an older one. To be called now and then. */
  bound(): void;
  /** What was written since the last call, at most 64 KiB of it. */
  read(): string;
  close(): void;
}

const LOG_MAX_BYTES = 10 * 1024 * 1024;
const READ_MAX_BYTES = 64 * 1024;

/**
 * Opens a log for appending, mode 0600. A service writes to the file itself and not through us: its log is whole when
 * the launcher is killed, and a logger whose pipe has broken may wait for it at its end for ever.
 */
export function openLog(path: string, maxBytes = LOG_MAX_BYTES): LogFile {
  const fd = openSync(path, 'a+', 0o600);
  let isOpen = true;
  // Copied and emptied, not renamed: the others that have it open go on writing to the same file.
  const bound = (): void => {
    if (!isOpen || fstatSync(fd).size <= maxBytes) return;
    copyFileSync(path, `${path}.1`);
    ftruncateSync(fd, 0);
  };
  bound();
  let readTo = fstatSync(fd).size;
  return {
    path,
    fd,
    bound,
    write(text) {
      if (!isOpen) return; // what is said while all is being closed
      writeSync(fd, text);
      bound();
    },
    read() {
      const { size } = fstatSync(fd);
      if (size < readTo) readTo = 0;
      const bytes = Buffer.alloc(Math.min(size - readTo, READ_MAX_BYTES));
      const count = bytes.length === 0 ? 0 : readSync(fd, bytes, 0, bytes.length, readTo);
      readTo += count;
      return bytes.toString('utf8', 0, count);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(fd);
    },
  };
}
