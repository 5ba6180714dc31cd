import { closeSync, copyFileSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';

/** A log of limited size that several processes may write to. */
export interface LogFile {
  readonly path: string;
  /** The descriptor for a child that writes directly. */
  readonly fd: number;
  write(text: string): void;
  /** Moves a full log aside as `<path>.1`, replacing an older one. Call this from time to time. */
  bound(): void;
  /** Returns new output since the last call, at most 64 KiB. */
  read(): string;
  close(): void;
}

const LOG_MAX_BYTES = 10 * 1024 * 1024;
const READ_MAX_BYTES = 64 * 1024;

/**
 * Opens a log for appending, with mode 0600. A service writes to the file directly. This keeps its log complete even if
 * the launcher is killed, and avoids a logger with a broken pipe, which may block forever at its end.
 */
export function openLog(path: string, maxBytes = LOG_MAX_BYTES): LogFile {
  const fd = openSync(path, 'a+', 0o600);
  let isOpen = true;
  // The file is copied and emptied instead of renamed, because other processes that have it open continue to write to
  // the same file.
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
      if (!isOpen) return; // this is output during the shutdown
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
