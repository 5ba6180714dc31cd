import { statSync, watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** After this long the whole tree is looked at again: the kernel drops notices when too many come at once. */
const TRUSTED_MS = 600_000;
const SUSPECTS_MAX = 500;

/**
 * Knows which files may have changed since the tree was last seen clean, by the kernel's notices (one watch for each
 * folder), so that a write looks at those and not at all files. Whenever it cannot know it says so, and git looks at
 * everything.
 */
export class DirtWatch {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly suspect = new Set<string>();
  /** How files looked when aish itself had just written them. */
  private readonly expected = new Map<string, string>();
  /** When the whole tree was last seen clean; null: never, or something was missed since. */
  private cleanAt: number | null = null;
  private isBroken = false;

  constructor(private readonly dir: string) {}

  /** Watches all folders. May be called again; new folders are then watched, too. */
  async start(): Promise<void> {
    await this.watchFolder('');
  }

  stop(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
    this.cleanAt = null;
  }

  /** Paths that may not be clean; null: any may be. */
  suspects(): string[] | null {
    if (this.isBroken || this.cleanAt === null || Date.now() - this.cleanAt > TRUSTED_MS) return null;
    if (this.suspect.size > SUSPECTS_MAX || this.watchers.size === 0) return null;
    return [...this.suspect].filter((path) => this.expected.get(path) !== this.look(path));
  }

  /** These were just written by aish, and are in git's index. */
  expect(paths: Iterable<string>): void {
    for (const path of paths) this.expected.set(path, this.look(path));
    if (this.expected.size > SUSPECTS_MAX) this.expected.clear();
  }

  private look(path: string): string {
    try {
      const found = statSync(join(this.dir, path), { bigint: true });
      return `${found.ino} ${found.size} ${found.mtimeNs} ${found.ctimeNs}`;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Its folder may have become a file.
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone';
      throw error;
    }
  }

  /** These were just seen clean; null: everything was. */
  trust(paths: readonly string[] | null): void {
    if (paths === null) {
      // Notices of what happened while git looked may be lost with this; they come again with the next full look.
      this.suspect.clear();
      if (this.watchers.size > 0) this.cleanAt = Date.now();
      return;
    }
    for (const path of paths) this.suspect.delete(path);
  }

  private async watchFolder(folder: string): Promise<void> {
    if (!this.watchers.has(folder)) this.open(folder);
    const entries = await readdir(join(this.dir, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== '.git')
        await this.watchFolder(folder === '' ? entry.name : `${folder}/${entry.name}`);
    }
  }

  private open(folder: string): void {
    try {
      const watcher = watch(join(this.dir, folder), { persistent: false }, (_kind, name) => this.notice(folder, name));
      watcher.on('error', () => this.close(folder));
      this.watchers.set(folder, watcher);
    } catch {
      // Too many watches, or the folder has just gone: git looks at everything from now on.
      this.isBroken = true;
    }
  }

  private close(folder: string): void {
    this.watchers.get(folder)?.close();
    this.watchers.delete(folder);
  }

  private notice(folder: string, name: string | null): void {
    if (name === null) this.cleanAt = null;
    else if (folder !== '' || name !== '.git') {
      const path = folder === '' ? name : `${folder}/${name}`;
      this.suspect.add(path);
      // It may be a new folder, whose files nobody would tell of.
      if (!/\.\w{1,8}$/.test(name)) {
        this.cleanAt = null;
        this.close(path);
        this.watchFolder(path).catch(() => (this.isBroken = true));
      }
    }
  }
}
