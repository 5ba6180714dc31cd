import { gitText, type GitOptions } from './git.js';
import type { IndexLock } from './index-lock.js';

/** The time limit of an update, including the time for making a large commit and writing its files. */
const TIMEOUT_MS = 300_000;

/**
 * Updates git's own index to match the files of the tree. `git update-index` changes a copy beside the index, while
 * aish holds the lock of the index. If git itself took the lock, a person's git could come first and commit the old
 * state of the branch.
 *
 * Git reads the whole index before the first path, which takes a long time with many files. So git starts while the
 * commit is being made, and gets the paths when their files exist.
 */
export class IndexUpdate {
  private constructor(
    private readonly lock: IndexLock,
    private readonly say: (paths: string) => void,
    private readonly ended: Promise<string>,
  ) {}

  /**
   * @param lock the held lock, which the update releases at its end.
   *
   * @throws AishError `knowledge_git`
   */
  static begin(lock: IndexLock, options: GitOptions): IndexUpdate {
    try {
      let say: (paths: string) => void = () => undefined;
      const input = new Promise<string>((resolve) => (say = resolve));
      const args = ['update-index', '--add', '--remove', '-z', '--stdin'];
      const ended = gitText(args, { ...options, input, indexFile: lock.copyIndex(), timeoutMs: TIMEOUT_MS });
      // The caller of `end` handles the error. Until then nobody listens for it.
      ended.catch(() => undefined);
      return new IndexUpdate(lock, say, ended);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /**
   * Finishes the update with the changed, new and removed paths.
   *
   * @throws AishError `knowledge_git`
   */
  async finish(paths: Iterable<string>): Promise<void> {
    this.say([...paths].map((path) => `${path}\0`).join(''));
    try {
      await this.ended;
      this.lock.replaceIndex();
    } finally {
      this.lock.release();
    }
  }

  /** Ends the update without a change and releases the lock. */
  async cancel(): Promise<void> {
    this.say('');
    // The copy is discarded, no matter what git did with it.
    await this.ended.catch(() => undefined);
    this.lock.release();
  }
}
