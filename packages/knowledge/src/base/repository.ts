import { mkdir, readFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AishError } from '@aish/contracts';
import { askRemote } from '../git/ask-remote.js';
import { git, gitText, type GitOptions } from '../git/git.js';
import { PENDING, changedPaths, makeCommit, moveBranch, readBlobs, type Changes } from '../git/git-objects.js';
import { GitIndex } from '../git/git-index.js';
import { IndexLock } from '../git/index-lock.js';
import type { IndexUpdate } from '../git/index-update.js';
import { DirtWatch } from './dirt-watch.js';
import { Journal, NO_REMOTE_STATE, RemoteState, StateFile, Verified } from './state-file.js';
import { removeTreeFile, writeTreeFile } from './work-tree.js';

export interface RepositoryOptions {
  readonly dir: string;
  readonly branch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Notices changes by itself, so that no write has to look at every file. For processes that stay. */
  readonly watch: DirtWatch | null;
}

/** What holds while the lock is held. */
export interface Held {
  readonly signal: AbortSignal;
  readonly lockFd: number;
}

export const FETCH_TIMEOUT_MS = 8_000;
const STALE_LOCK_WAIT_MS = 3_000;
const STALE_FETCH_MS = 60_000;

/** A clone, its branch, its files and what aish keeps beside them. Writing methods need the lock of the repository. */
export class Repository {
  readonly dir: string;
  readonly branch: string;
  readonly stateDir: string;
  readonly journal: StateFile<Journal>;
  readonly verified: StateFile<Verified>;
  readonly remoteState: StateFile<RemoteState>;

  private readonly index: GitIndex;

  /** What was asked before and holds as long as its key does: each question would cost a process. */
  private readonly known: {
    url: { readonly key: string; readonly value: string | null } | null;
    /** This commit of ours has all that this commit of the remote has. */
    contained: { readonly head: string; readonly remote: string } | null;
  } = { url: null, contained: null };

  constructor(private readonly options: RepositoryOptions) {
    this.dir = options.dir;
    this.branch = options.branch;
    this.stateDir = join(options.dir, '.git', 'aish');
    // Who watches stays.
    this.index = new GitIndex(options.dir, options.watch !== null);
    this.journal = new StateFile(this.stateDir, 'journal.json', Journal);
    this.verified = new StateFile(this.stateDir, 'verified.json', Verified);
    this.remoteState = new StateFile(this.stateDir, 'remote.json', RemoteState);
  }

  git(held?: Partial<Held>, more: Partial<GitOptions> = {}): GitOptions {
    return { dir: this.dir, env: this.options.env, signal: held?.signal, lockFd: held?.lockFd, ...more };
  }

  async exists(): Promise<boolean> {
    const found = await stat(join(this.dir, '.git')).catch(() => null);
    return found?.isDirectory() === true;
  }

  /** @throws AishError `knowledge_missing` where there is no repository. */
  async mustExist(): Promise<void> {
    if (await this.exists()) return;
    throw new AishError('knowledge_missing', `There is no knowledge base at ${this.dir}; \`aish kb init\` makes one`);
  }

  /** The commit of the branch; null when it has none. */
  head(held?: Partial<Held>): Promise<string | null> {
    return this.resolve(`refs/heads/${this.branch}`, held);
  }

  /** The branch that is checked out; null when it is none. */
  async checkedOut(): Promise<string | null> {
    const text = await this.readGitFile('HEAD');
    return /^ref: refs\/heads\/(\S+)\n?$/.exec(text ?? '')?.[1] ?? null;
  }

  /** By reading git's own small file where there is one: asked for before every query and several times in a write. */
  private async resolve(ref: string, held?: Partial<Held>): Promise<string | null> {
    const text = await this.readGitFile(ref);
    if (text !== null && /^[0-9a-f]{40,64}\n$/.test(text)) return text.trim();
    const answer = await git(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`], this.git(held));
    return answer.code === 0 ? answer.stdout.toString('utf8').trim() : null;
  }

  private async readGitFile(name: string): Promise<string | null> {
    return readFile(join(this.dir, '.git', name), 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null;
      throw error;
    });
  }

  async remoteUrl(held?: Partial<Held>): Promise<string | null> {
    const config = await stat(join(this.dir, '.git', 'config'), { bigint: true }).catch(() => null);
    const key = `${config?.mtimeNs ?? 0n} ${config?.size ?? 0n}`;
    if (this.known.url?.key === key) return this.known.url.value;
    const answer = await git(['config', '--get', 'remote.origin.url'], this.git(held));
    const text = answer.stdout.toString('utf8').trim();
    const value = answer.code === 0 && text !== '' ? text : null;
    this.known.url = { key, value };
    return value;
  }

  /** The remote's branch as last fetched. */
  remoteHead(held?: Partial<Held>): Promise<string | null> {
    return this.resolve(`refs/remotes/origin/${this.branch}`, held);
  }

  /** How far apart branch and remote are, as last fetched; null where there is nothing to compare with. */
  async apart(held?: Partial<Held>): Promise<{ readonly ahead: number; readonly behind: number } | null> {
    const [head, remote] = [await this.head(held), await this.remoteHead(held)];
    if (head === null || remote === null) return null;
    if (head === remote) return { ahead: 0, behind: 0 };
    const text = await gitText(['rev-list', '--left-right', '--count', `${head}...${remote}`], this.git(held));
    const [ahead = 0, behind = 0] = text.trim().split(/\s+/).map(Number);
    return { ahead, behind };
  }

  /** Finishes what a killed writer had begun. @returns whether there was something. */
  async recover(held: Held): Promise<boolean> {
    await this.removeOwnLocks();
    const journal = await this.journal.read();
    if (journal === null) {
      await this.waitForForeignLocks();
      return false;
    }
    // Whoever wrote the journal had the lock and has ended; git's own locks of that time are nobody's.
    for (const lock of ['index.lock', 'HEAD.lock', 'packed-refs.lock', `refs/heads/${this.branch}.lock`]) {
      await rm(join(this.dir, '.git', lock), { force: true });
    }
    const { to, paths } = journal;
    if (to !== null && (await this.head(held)) === to) {
      const changes = await readBlobs(to, paths, this.git(held));
      await this.writeFiles(changes, this.index.begin(await this.lockIndex(), this.git(held)));
    }
    await this.journal.clear();
    const leftovers = (await readdir(this.stateDir)).filter((name) => name.startsWith('tmp-'));
    for (const name of leftovers) await rm(join(this.stateDir, name), { force: true });
    return true;
  }

  /** What git, killed under a lock of ours that is free again, left in the way of every git after it. */
  private async removeOwnLocks(): Promise<void> {
    const lockOf = (ref: string): string => join(this.dir, '.git', `${ref}.lock`);
    await rm(lockOf(PENDING), { force: true });
    // A person fetches, too: theirs lasts for an instant.
    const fetching = lockOf(`refs/remotes/origin/${this.branch}`);
    const found = await stat(fetching).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found !== null && Date.now() - found.mtimeMs > STALE_FETCH_MS) await rm(fetching, { force: true });
  }

  /** A person's git may be at work for a moment. */
  private async waitForForeignLocks(): Promise<void> {
    const deadline = Date.now() + STALE_LOCK_WAIT_MS;
    while ((await stat(join(this.dir, '.git', 'index.lock')).catch(() => null)) !== null) {
      if (Date.now() > deadline) {
        throw new AishError(
          'knowledge_dirty',
          'Another git is at work here, or was killed: .git/index.lock is in the way',
        );
      }
      await sleep(50);
    }
  }

  private async lockIndex(): Promise<IndexLock> {
    for (;;) {
      const lock = IndexLock.take(join(this.dir, '.git'));
      if (lock !== null) return lock;
      await this.waitForForeignLocks();
    }
  }

  /** Whoever comes after a kill finds in the journal that the lock was ours; while it is somebody else's it does not say so. */
  private async lockIndexNoted(from: string | null): Promise<IndexLock> {
    for (;;) {
      await this.journal.write({ from, to: null, paths: [] });
      let lock: IndexLock | null = null;
      try {
        lock = IndexLock.take(join(this.dir, '.git'));
      } finally {
        if (lock === null) await this.journal.clear();
      }
      if (lock !== null) return lock;
      await this.waitForForeignLocks();
    }
  }

  /** Paths that are not as the branch says, at most 20. */
  async dirt(held?: Partial<Held>): Promise<string[]> {
    const suspects = this.options.watch?.suspects() ?? null;
    if (suspects !== null && suspects.length === 0) return [];
    const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'];
    const limited = suspects === null ? [] : ['--', ...suspects];
    const found = parseStatus(await gitText([...args, ...limited], this.git(held)));
    if (found.length === 0) this.options.watch?.trust(suspects);
    return found.slice(0, 20);
  }

  /** @throws AishError `knowledge_dirty` naming what is not ours, `knowledge_invalid` for another branch. */
  async mustBeClean(held: Held): Promise<void> {
    const branch = await this.checkedOut();
    if (branch !== this.branch) {
      throw new AishError(
        'knowledge_invalid',
        `The knowledge base has ${branch ?? 'no branch'} checked out, not ${this.branch}`,
      );
    }
    const dirt = await this.dirt(held);
    if (dirt.length === 0) return;
    throw new AishError('knowledge_dirty', `There are changes that are not committed: ${dirt.slice(0, 5).join(', ')}`, {
      paths: dirt,
    });
  }

  /**
   * Fetches, and follows the remote where that needs no merge.
   * @returns a word for the writer when the remote could not be asked: writing goes on without it.
   * @throws AishError `knowledge_diverged` when both sides have commits that the other has not.
   */
  async follow(held: Held): Promise<string | null> {
    const unreached = await this.fetch(held);
    const [head, remote] = [await this.head(held), await this.remoteHead(held)];
    if (head === null || remote === null) return unreached;
    if (this.known.contained?.head === head && this.known.contained.remote === remote) return unreached;
    const apart = await this.apart(held);
    if (apart === null || apart.behind === 0) {
      this.known.contained = { head, remote };
      return unreached;
    }
    if (apart.ahead > 0) {
      throw new AishError(
        'knowledge_diverged',
        `Here ${apart.ahead} commits the remote has not, there ${apart.behind} that are not here; merge or rebase them by hand`,
        apart,
      );
    }
    await this.move(head, remote, 'aish: follow the remote', held);
    this.known.contained = { head: remote, remote };
    return unreached;
  }

  /** @returns null when the remote answered or there is none, else why not. */
  async fetch(held: Held, timeoutMs = FETCH_TIMEOUT_MS): Promise<string | null> {
    if ((await this.remoteUrl(held)) === null) return null;
    const state = (await this.remoteState.read()) ?? NO_REMOTE_STATE;
    const at = new Date().toISOString();
    const failure = await this.fetchMoved(held, timeoutMs);
    if (failure === null) {
      if (state.fetchFailure !== null) await this.remoteState.write({ ...state, fetchFailure: null });
      return null;
    }
    await this.remoteState.write({ ...state, fetchFailure: { detail: failure, at } });
    return `The remote was not reached (${failure}); the commit stays here until it is`;
  }

  /** Asks where the remote's branch is, which is cheap, and fetches only when it has moved. */
  private async fetchMoved(held: Held, timeoutMs: number): Promise<string | null> {
    const ref = `refs/heads/${this.branch}`;
    // Without the lock's descriptor: helpers that git leaves behind must not hold it.
    const asking = this.git({ signal: held.signal }, { timeoutMs: Math.min(timeoutMs, FETCH_TIMEOUT_MS) });
    const asked = await askRemote(['ls-remote', 'origin', ref], asking);
    if (asked.failure !== null) return asked.failure;
    const theirs = asked.text.split(/\s/)[0] ?? '';
    // A remote without this branch is empty: there is nothing to follow.
    if (theirs === '' || theirs === (await this.remoteHead(held))) return null;
    const refspec = `+${ref}:refs/remotes/origin/${this.branch}`;
    const args = [
      'fetch',
      '--quiet',
      '--no-tags',
      '--no-recurse-submodules',
      '--no-write-fetch-head',
      'origin',
      refspec,
    ];
    return (await askRemote(args, { ...asking, timeoutMs })).failure;
  }

  /** Commits and makes files and index follow. */
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
    const { parent, changes, message } = input;
    const reason = message.split('\n')[0] ?? '';
    const make = () => makeCommit({ ...input, branch: this.branch }, this.git(held));
    const commit = await this.moveTo(parent, async () => ({ to: await make(), changes, reason }), held);
    const { contained } = this.known;
    if (contained?.head === parent) this.known.contained = { head: commit, remote: contained.remote };
    return commit;
  }

  /** Moves the branch to another commit that descends from it, and the files with it. */
  async move(from: string | null, to: string, reason: string, held: Held): Promise<void> {
    const make = async (): Promise<Move> => {
      const paths = from === null ? [] : await changedPaths(from, to, this.git(held));
      return { to, changes: await readBlobs(to, paths, this.git(held)), reason };
    };
    await this.moveTo(from, make, held);
  }

  /**
   * Moves the branch to what `make` gives; files and git's index follow. The index is locked all the while: a person's git
   * would commit without what the branch has by then. Everything before the branch moves leaves no trace.
   */
  private async moveTo(from: string | null, make: () => Promise<Move>, held: Held): Promise<string> {
    await mkdir(this.stateDir, { recursive: true });
    // Without the signal: nothing is given up half done. A cancelled writer finishes, a killed one is finished by the next.
    const through = this.git({ lockFd: held.lockFd });
    const lock = await this.lockIndexNoted(from);
    // The commit first: it is what is waited for.
    const making = make();
    let index: IndexUpdate | null = null;
    let move: Move;
    try {
      index = this.index.begin(lock, through);
      move = await making;
      held.signal.throwIfAborted();
      await this.journal.write({ from, to: move.to, paths: [...move.changes.keys()] });
      await moveBranch({ branch: this.branch, from, to: move.to, reason: move.reason }, through);
    } catch (error) {
      // Nobody wants it any more, but it must have ended before the lock does.
      await making.catch(() => undefined);
      // A lock that cannot be taken away is left to whoever reads the journal.
      await (index?.cancel() ?? Promise.resolve()).then(
        () => this.journal.clear(),
        () => undefined,
      );
      throw error;
    }
    await this.writeFiles(move.changes, index);
    await this.journal.clear();
    return move.to;
  }

  /** Makes the shared part of git's index anew: what is not in it makes every later reading longer. Not a must. */
  async shareIndex(held: Held): Promise<void> {
    await this.journal.write({ from: null, to: null, paths: [] });
    // A person's git may have the index just now: then another time.
    await git(['update-index', '--split-index'], this.git({ lockFd: held.lockFd }));
    await this.journal.clear();
  }

  private async writeFiles(changes: Changes, index: IndexUpdate): Promise<void> {
    for (const [path, content] of changes) {
      if (content === null) await removeTreeFile(this.dir, path);
      else await writeTreeFile(this.dir, path, content);
    }
    await index.finish(changes.keys());
    this.options.watch?.expect(changes.keys());
  }
}

/** Where the branch goes, what differs there, and the words for its reflog. */
interface Move {
  readonly to: string;
  readonly changes: Changes;
  readonly reason: string;
}

/** The entries of `git status --porcelain=v1 -z`. */
function parseStatus(text: string): string[] {
  return text.split('\0').flatMap((entry) => (entry.length > 3 ? [entry.slice(3)] : []));
}
