import { statSync, watch, type FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The time after which the whole tree is checked again, because the kernel drops notices when too many come at once.
 */
const TRUSTED_MS = 600_000;
const SUSPECTS_MAX = 500;

/**
 * Tracks which files may have changed since the tree was last clean, with the kernel's file notifications (one watch
 * per folder). A write then checks only those files. If notifications may be missing, git checks everything.
 */
export class DirtWatch {
  private readonly watchers = new Map<string, FSWatcher>();
  private readonly suspect = new Set<string>();
  /** The state that files had right after aish wrote them. */
  private readonly expected = new Map<string, string>();
  /** When the whole tree was last clean; null if it never was, or if notifications were missed since. */
  private cleanAt: number | null = null;
  private isBroken = false;

  constructor(private readonly dir: string) {}

  /** Watches all folders. Call it again to include new folders. */
  async start(): Promise<void> {
    await this.watchFolder('');
  }

  stop(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
    this.cleanAt = null;
  }

  /** Returns paths that may have changed; null if any path may have. */
  suspects(): string[] | null {
    if (this.isBroken || this.cleanAt === null || Date.now() - this.cleanAt > TRUSTED_MS) return null;
    if (this.suspect.size > SUSPECTS_MAX || this.watchers.size === 0) return null;
    return [...this.suspect].filter((path) => this.expected.get(path) !== this.look(path));
  }

  /** Marks paths that aish has just written and that are in git's index. */
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
      // The path's folder may have become a file.
      if (code === 'ENOENT' || code === 'ENOTDIR') return 'gone';
      throw error;
    }
  }

  /** Marks paths that are now known to be clean; null marks all paths. */
  trust(paths: readonly string[] | null): void {
    if (paths === null) {
      // This may lose notices that came while git was checking. The next full check finds those changes.
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
      // There are too many watches, or the folder has just disappeared. From now on git checks everything.
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
      // The path may be a new folder whose files are not watched.
      if (!/\.\w{1,8}$/.test(name)) {
        this.cleanAt = null;
        this.close(path);
        this.watchFolder(path).catch(() => (this.isBroken = true));
      }
    }
  }
}
