import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

/** One file of lines that never grows past `maxBytes`: then it becomes `<file>.1`, which replaces an older one. */
export interface LogFile {
  readonly path: string;
  write(text: string): void;
  close(): void;
}

export const LOG_MAX_BYTES = 10 * 1024 * 1024;

/** Opens a log for appending, mode 0600; one that is full already is set aside first. */
export function openLog(path: string, maxBytes = LOG_MAX_BYTES): LogFile {
  let fd = openSync(path, 'a', 0o600);
  let size = fstatSync(fd).size;
  let isOpen = true;
  const setAside = (): void => {
    closeSync(fd);
    renameSync(path, `${path}.1`);
    fd = openSync(path, 'a', 0o600);
    size = 0;
  };
  if (size > maxBytes) setAside();
  return {
    path,
    write(text) {
      // What a child says while it is being stopped may come after its log was closed.
      if (!isOpen) return;
      const bytes = Buffer.from(text);
      if (size > 0 && size + bytes.length > maxBytes) setAside();
      size += writeSync(fd, bytes);
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(fd);
    },
  };
}
