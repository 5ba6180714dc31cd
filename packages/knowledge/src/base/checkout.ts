import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts/problems';
import { git } from '../git/git.js';
import { PENDING, changedPaths, makeCommit, moveBranch, readBlobs, type Changes } from '../git/git-objects.js';
import { IndexLock } from '../git/index-lock.js';
import { IndexUpdate } from '../git/index-update.js';
import type { Held, Repository } from './repository.js';
import { removeTreeFile, writeTreeFile } from './work-tree.js';

const STALE_LOCK_WAIT_MS = 3_000;
const STALE_FETCH_MS = 60_000;

/**
 * Moves the checked-out branch, updates the files and git's index to match it, and finishes the work of a killed
 * writer. The caller of any method must hold the lock of the repository.
 */
export class Checkout {
  private readonly gitDir: string;

  constructor(readonly repository: Repository) {
    this.gitDir = join(repository.dir, '.git');
  }

  /** Commits, then updates files and index. */
  async commit(
    input: {
      readonly parent: string | null;
      readonly changes: Changes;
      readonly message: string;
      readonly author: string;
      readonly now: Date;
    },
    held: Held,
  ): Promise<string> {
    const { repository } = this;
    const { parent, changes, message } = input;
    const reason = message.split('\n')[0] ?? '';
    const make = () => makeCommit({ ...input, branch: repository.branch }, repository.git(held));
    return this.moveTo(parent, async () => ({ to: await make(), changes, reason }), held);
  }

  /** Moves the branch to a later commit, and the files with it. */
  async move(from: string | null, to: string, reason: string, held: Held): Promise<void> {
    const git = this.repository.git(held);
    const make = async (): Promise<Move> => {
      const paths = from === null ? [] : await changedPaths(from, to, git);
      return { to, changes: await readBlobs(to, paths, git), reason };
    };
    await this.moveTo(from, make, held);
  }

  /**
   * Moves the branch to the result of `make`, and updates files and git's index. The index stays locked all the time,
   * because otherwise a person's git could commit without the branch's new content. If anything fails before the branch
   * moves, it leaves no trace.
   */
  private async moveTo(from: string | null, make: () => Promise<Move>, held: Held): Promise<string> {
    const { repository } = this;
    await mkdir(repository.stateDir, { recursive: true });
    // These steps get no signal, because they must not stop halfway. A cancelled writer finishes, and the next writer
    // finishes the work of a killed one.
    const through = repository.git({ lockFd: held.lockFd });
    const lock = await this.lockIndexNoted(from);
    // The commit starts first, because it takes longest.
    const making = make();
    let index: IndexUpdate | null = null;
    let move: Move;
    try {
      index = IndexUpdate.begin(lock, through);
      move = await making;
      held.signal.throwIfAborted();
      await repository.journal.write({ from, to: move.to, paths: [...move.changes.keys()] });
      await moveBranch({ branch: repository.branch, from, to: move.to, reason: move.reason }, through);
    } catch (error) {
      // The result is not needed any more, but the process must end before the lock is released.
      await making.catch(() => undefined);
      // If the lock cannot be removed, the next reader of the journal removes it.
      await (index?.cancel() ?? Promise.resolve()).then(
        () => repository.journal.clear(),
        () => undefined,
      );
      throw error;
    }
    await this.follow(move.changes, index);
    await repository.journal.clear();
    return move.to;
  }

  /**
   * Rebuilds the shared part of git's index. Entries outside of it slow down every later read. A failure does no harm.
   */
  async shareIndex(held: Held): Promise<void> {
    const { repository } = this;
    await repository.journal.write({ from: null, to: null, paths: [] });
    // A person's git may be using the index. The next run tries again.
    await git(['update-index', '--split-index'], repository.git({ lockFd: held.lockFd }));
    await repository.journal.clear();
  }

  /** Updates files and index to match the branch. */
  private async follow(changes: Changes, index: IndexUpdate): Promise<void> {
    const { dir, watch } = this.repository;
    try {
      for (const [path, content] of changes) {
        if (content === null) await removeTreeFile(dir, path);
        else await writeTreeFile(dir, path, content);
      }
    } catch (error) {
      // The journal stays, so that the next writer tries again.
      await index.cancel();
      throw error;
    }
    await index.finish(changes.keys());
    watch?.expect(changes.keys());
  }

  /**
   * Finishes the work of a killed writer.
   *
   * @returns whether there was any.
   */
  async recover(held: Held): Promise<boolean> {
    const { repository } = this;
    await this.removeOwnLocks();
    const journal = await repository.journal.read();
    if (journal === null) {
      await this.waitForForeignLocks();
      return false;
    }
    // The writer of the journal held the lock and has ended, so git's own locks from that time belong to no process.
    for (const lock of ['index.lock', 'HEAD.lock', 'packed-refs.lock', `refs/heads/${repository.branch}.lock`]) {
      await rm(join(this.gitDir, lock), { force: true });
    }
    const { to, paths } = journal;
    if (to !== null && (await repository.head(held)) === to) {
      const changes = await readBlobs(to, paths, repository.git(held));
      await this.follow(changes, IndexUpdate.begin(await this.lockIndex(), repository.git(held)));
    }
    await repository.journal.clear();
    const leftovers = (await readdir(repository.stateDir)).filter((name) => name.startsWith('tmp-'));
    for (const name of leftovers) await rm(join(repository.stateDir, name), { force: true });
    return true;
  }

  /** Removes lock files of a git that was killed while aish held the lock. They would block every later git. */
  private async removeOwnLocks(): Promise<void> {
    const lockOf = (ref: string): string => join(this.gitDir, `${ref}.lock`);
    await rm(lockOf(PENDING), { force: true });
    // A person may fetch, too, but their lock lasts only an instant.
    const fetching = lockOf(`refs/remotes/origin/${this.repository.branch}`);
    const found = await stat(fetching).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found !== null && Date.now() - found.mtimeMs > STALE_FETCH_MS) await rm(fetching, { force: true });
  }

  /** Waits for the locks of a person's git, which may be running for a moment. */
  private async waitForForeignLocks(): Promise<void> {
    const deadline = Date.now() + STALE_LOCK_WAIT_MS;
    while ((await stat(join(this.gitDir, 'index.lock')).catch(() => null)) !== null) {
      if (Date.now() > deadline) {
        throw new AishError(
          'knowledge_dirty',
          'Another git is running in the knowledge base, or was killed: .git/index.lock exists. Delete this file if no git is running',
        );
      }
      await sleep(50);
    }
  }

  private async lockIndex(): Promise<IndexLock> {
    for (;;) {
      const lock = IndexLock.take(this.gitDir);
      if (lock !== null) return lock;
      await this.waitForForeignLocks();
    }
  }

  /**
   * Locks the index and notes this in the journal, so that after a kill the lock is known to be aish's. While somebody
   * else holds the lock, the journal has no such note.
   */
  private async lockIndexNoted(from: string | null): Promise<IndexLock> {
    for (;;) {
      await this.repository.journal.write({ from, to: null, paths: [] });
      let lock: IndexLock | null = null;
      try {
        lock = IndexLock.take(this.gitDir);
      } finally {
        if (lock === null) await this.repository.journal.clear();
      }
      if (lock !== null) return lock;
      await this.waitForForeignLocks();
    }
  }
}

/** The new target of the branch, the changed files, and the text for its reflog. */
interface Move {
  readonly to: string;
  readonly changes: Changes;
  readonly reason: string;
}
