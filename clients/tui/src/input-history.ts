import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { HISTORY_MAX } from './history.js';

/** Stores the input history in a file that only its owner can read. Each line is one JSON string. */
export class InputHistory {
  /** The last write. The next write waits for it. */
  private last: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  /** Returns the entries, oldest first. The list is empty without a readable file. */
  async read(): Promise<readonly string[]> {
    const text = await readFile(this.path, 'utf8').catch(() => ''); // the history is optional, so errors are ignored
    const entries = text.split('\n').flatMap((line) => entryOf(line));
    if (entries.length > 2 * HISTORY_MAX) await this.write(entries.slice(-HISTORY_MAX));
    return entries.slice(-HISTORY_MAX);
  }

  /** Adds a line to the file. Never throws, because the program also works without a history. */
  add(line: string): Promise<void> {
    this.last = this.last
      .then(() => mkdir(dirname(this.path), { recursive: true, mode: 0o700 }))
      .then(() => appendFile(this.path, `${JSON.stringify(line)}\n`, { mode: 0o600 }))
      .catch(() => undefined);
    return this.last;
  }

  private async write(entries: readonly string[]): Promise<void> {
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
    const temporary = `${this.path}.${process.pid}`;
    await writeFile(temporary, lines, { mode: 0o600 })
      .then(() => rename(temporary, this.path))
      .catch(() => undefined);
  }
}

function entryOf(line: string): string[] {
  try {
    const entry: unknown = JSON.parse(line);
    return typeof entry === 'string' ? [entry] : [];
  } catch {
    return []; // the last line may be incomplete
  }
}
