import { gitText, type GitOptions } from './git.js';
import type { IndexLock } from './index-lock.js';

/** From the begin to the end, so that making a large commit and writing its files in between have their time, too. */
const TIMEOUT_MS = 300_000;

/** Git's own index on its way to follow files of the tree. Until its end nobody else changes it: `index.lock` is held. */
export interface IndexUpdate {
  /** These have changed, came or went. @throws AishError `knowledge_git` */
  finish(paths: Iterable<string>): Promise<void>;
  /** Ends without a change and without a lock. */
  cancel(): Promise<void>;
}

/**
 * Done by git, beside the index, which stays locked by us: were the lock git's, a person's git could come first, and commit
 * without what the branch has meanwhile. Git reads the whole index before the first path, which is what takes long where there are many
 * files, so that is begun early and the paths are said when the files are there.
 */
export class GitIndexUpdate implements IndexUpdate {
  private constructor(
    private readonly lock: IndexLock,
    private readonly say: (paths: string) => void,
    private readonly ended: Promise<string>,
  ) {}

  /** @param isPacking whether all that is apart from the shared part of the index is taken into a new one. */
  static begin(lock: IndexLock, options: GitOptions, isPacking = false): GitIndexUpdate {
    let say: (paths: string) => void = () => undefined;
    const input = new Promise<string>((resolve) => (say = resolve));
    const packing = isPacking ? ['--split-index'] : [];
    const args = ['update-index', ...packing, '--add', '--remove', '-z', '--stdin'];
    const ended = gitText(args, { ...options, input, indexFile: lock.besideIndex(), timeoutMs: TIMEOUT_MS });
    // Asked for by whoever ends it; until then nobody listens.
    ended.catch(() => undefined);
    return new GitIndexUpdate(lock, say, ended);
  }

  async finish(paths: Iterable<string>): Promise<void> {
    this.say([...paths].map((path) => `${path}\0`).join(''));
    try {
      await this.ended;
      this.lock.putBesideInPlace();
    } finally {
      this.lock.release();
    }
  }

  async cancel(): Promise<void> {
    this.say('');
    // What git made or could not make of the copy is thrown away with it.
    await this.ended.catch(() => undefined);
    this.lock.release();
  }
}
