import { gitText, type GitOptions } from './git.js';
import type { IndexLock } from './index-lock.js';

/** From the begin to the end, so that making a large commit and writing its files in between have their time, too. */
const TIMEOUT_MS = 300_000;

/**
 * Makes git's own index follow the files of the tree. `git update-index` changes a copy beside the index, while we hold
 * the lock of the index. If git held the lock, a person's git could come first and commit the old state of the branch.
 *
 * Git reads the whole index before it takes the first path, which takes long when there are many files. So git starts
 * while the commit is being made, and it gets the paths when their files are there.
 */
export class IndexUpdate {
  private constructor(
    private readonly lock: IndexLock,
    private readonly say: (paths: string) => void,
    private readonly ended: Promise<string>,
  ) {}

  /** @param lock held; it ends with the update. @throws AishError `knowledge_git` */
  static begin(lock: IndexLock, options: GitOptions): IndexUpdate {
    try {
      let say: (paths: string) => void = () => undefined;
      const input = new Promise<string>((resolve) => (say = resolve));
      const args = ['update-index', '--add', '--remove', '-z', '--stdin'];
      const ended = gitText(args, { ...options, input, indexFile: lock.copyIndex(), timeoutMs: TIMEOUT_MS });
      // The caller of `end` handles the error. Until then nobody listens.
      ended.catch(() => undefined);
      return new IndexUpdate(lock, say, ended);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** These have changed, came or went. @throws AishError `knowledge_git` */
  async finish(paths: Iterable<string>): Promise<void> {
    this.say([...paths].map((path) => `${path}\0`).join(''));
    try {
      await this.ended;
      this.lock.replaceIndex();
    } finally {
      this.lock.release();
    }
  }

  /** Ends without a change and without a lock. */
  async cancel(): Promise<void> {
    this.say('');
    // What git made or could not make of the copy is thrown away with it.
    await this.ended.catch(() => undefined);
    this.lock.release();
  }
}
