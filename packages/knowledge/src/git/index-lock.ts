import { closeSync, fchmodSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** `index.lock` of a repository: who makes it may put it in the place of git's index, or take it away again. */
export class IndexLock {
  private readonly file: string;
  private isHeld = true;

  private constructor(
    private readonly gitDir: string,
    private readonly fd: number,
  ) {
    this.file = join(gitDir, 'index.lock');
  }

  /** @returns null while another git has it. */
  static take(gitDir: string): IndexLock | null {
    try {
      return new IndexLock(gitDir, openSync(join(gitDir, 'index.lock'), 'wx', 0o666));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
      throw error;
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

  /** May be called again. */
  release(): void {
    if (!this.isHeld) return;
    this.isHeld = false;
    closeSync(this.fd);
    rmSync(this.file, { force: true });
  }
}
