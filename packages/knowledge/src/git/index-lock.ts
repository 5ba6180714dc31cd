import {
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { AishError } from '@aish/contracts';

/** `index.lock` of a repository: who makes it may put it in the place of git's index, or take it away again. */
export class IndexLock {
  private readonly file: string;
  private readonly beside: string;
  private isHeld = true;

  private constructor(
    private readonly gitDir: string,
    private readonly fd: number,
  ) {
    this.file = join(gitDir, 'index.lock');
    this.beside = join(gitDir, 'aish', 'tmp-index');
  }

  /** @returns null while another git has it. @throws AishError `knowledge_git` when it cannot be made. */
  static take(gitDir: string): IndexLock | null {
    try {
      return new IndexLock(gitDir, openSync(join(gitDir, 'index.lock'), 'wx', 0o666));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
      throw broken('cannot be locked', error);
    }
  }

  /** The index is this from now on, for whoever might use the one before; the lock ends. What fails leaves it held. */
  replaceIndex(content: Buffer, mode: number): void {
    for (let at = 0; at < content.length;) at += writeSync(this.fd, content, at);
    fchmodSync(this.fd, mode);
    renameSync(this.file, join(this.gitDir, 'index'));
    this.isHeld = false;
    closeSync(this.fd);
  }

  /**
   * A copy of the index, as old as it is, for a git that is to change it while we have the lock. Whoever recovers removes what
   * begins with `tmp-`. @throws AishError `knowledge_git` when there is no room.
   */
  besideIndex(): string {
    this.removeBeside();
    const index = join(this.gitDir, 'index');
    try {
      const second = Math.floor(statSync(index).mtimeMs / 1_000);
      copyFileSync(index, this.beside, constants.COPYFILE_FICLONE);
      // By it git knows which files it has to look into.
      utimesSync(this.beside, second, second);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw broken('cannot be copied', error);
    }
    return this.beside;
  }

  /** What git made of that is the index from now on. */
  putBesideInPlace(): void {
    renameSync(this.beside, join(this.gitDir, 'index'));
  }

  /** May be called again. */
  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    closeSync(this.fd);
    this.removeBeside();
    rmSync(this.file, { force: true });
  }

  private removeBeside(): void {
    for (const file of [this.beside, `${this.beside}.lock`]) rmSync(file, { force: true });
  }
}

function broken(what: string, cause: unknown): AishError {
  return new AishError('knowledge_git', `The index of git ${what}`, {}, { cause });
}
