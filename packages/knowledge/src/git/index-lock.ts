import { closeSync, constants, copyFileSync, openSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';

/** The lock `index.lock` of a repository. Its holder may replace git's index with a changed copy. */
export class IndexLock {
  private readonly file: string;
  private readonly copy: string;
  private isHeld = true;

  private constructor(private readonly gitDir: string) {
    this.file = join(gitDir, 'index.lock');
    this.copy = join(gitDir, 'aish', 'tmp-index');
  }

  /**
   * @returns null while another git holds the lock.
   *
   * @throws AishError `knowledge_git` if the lock cannot be created.
   */
  static take(gitDir: string): IndexLock | null {
    try {
      closeSync(openSync(join(gitDir, 'index.lock'), 'wx', 0o666));
      return new IndexLock(gitDir);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
      throw broken('cannot be locked', error);
    }
  }

  /**
   * Makes a copy of the index for git to change, with the time stamps of the original. Recovery removes all files
   * `tmp-*`.
   *
   * @throws AishError `knowledge_git` if there is no space.
   */
  copyIndex(): string {
    this.removeCopy();
    const index = join(this.gitDir, 'index');
    try {
      const second = Math.floor(statSync(index).mtimeMs / 1_000);
      copyFileSync(index, this.copy, constants.COPYFILE_FICLONE);
      // From the age of the index, git knows which files may have changed since then without looking different.
      utimesSync(this.copy, second, second);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw broken('cannot be copied', error);
    }
    return this.copy;
  }

  /** Makes the copy, as git left it, the new index. */
  replaceIndex(): void {
    renameSync(this.copy, join(this.gitDir, 'index'));
  }

  /** Releases the lock. It may be called again. */
  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    this.removeCopy();
    rmSync(this.file, { force: true });
  }

  private removeCopy(): void {
    for (const file of [this.copy, `${this.copy}.lock`]) rmSync(file, { force: true });
  }
}

function broken(what: string, cause: unknown): AishError {
  return new AishError('knowledge_git', `Git's index ${what}`, {}, { cause });
}
