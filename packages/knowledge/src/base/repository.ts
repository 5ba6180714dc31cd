import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AishError } from '@aish/contracts/problems';
import { git, gitText, type GitOptions } from '../git/git.js';
import type { DirtWatch } from './dirt-watch.js';
import { Journal, RemoteState, StateFile, Verified } from './state-file.js';

export interface RepositoryOptions {
  readonly dir: string;
  readonly branch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The watch that notices changes, so that no write has to check every file. Only long-running processes have one. */
  readonly watch: DirtWatch | null;
}

/** The lock's descriptor and signal, which a writer gets while it holds the lock. */
export interface Held {
  readonly signal: AbortSignal;
  readonly lockFd: number;
}

/**
 * A clone: its branch, the last fetched state of its remote, whether its files are clean, and aish's own files in
 * `.git`.
 */
export class Repository {
  readonly dir: string;
  readonly branch: string;
  readonly stateDir: string;
  readonly journal: StateFile<Journal>;
  readonly verified: StateFile<Verified>;
  readonly remoteState: StateFile<RemoteState>;

  readonly watch: DirtWatch | null;

  /** The known URL. It is valid as long as git's settings look unchanged. The cache saves a process. */
  private knownUrl: { readonly key: string; readonly value: string | null } | null = null;

  constructor(private readonly options: RepositoryOptions) {
    this.dir = options.dir;
    this.branch = options.branch;
    this.stateDir = join(options.dir, '.git', 'aish');
    this.watch = options.watch;
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

  /** @throws AishError `knowledge_missing` if there is no repository. */
  async mustExist(): Promise<void> {
    if (await this.exists()) return;
    throw new AishError(
      'knowledge_missing',
      `There is no knowledge base at ${this.dir}. Create one with \`aish kb init\``,
    );
  }

  /** Returns the commit of the branch; null if it has none. */
  head(held?: Partial<Held>): Promise<string | null> {
    return this.commitOf(`refs/heads/${this.branch}`, held);
  }

  /** Returns the checked-out branch; null if there is none. */
  async checkedOut(): Promise<string | null> {
    const text = await this.readGitFile('HEAD');
    return /^ref: refs\/heads\/(\S+)\n?$/.exec(text ?? '')?.[1] ?? null;
  }

  /**
   * Returns the commit of a ref. It reads git's own small file if it exists, because this runs before every query and
   * several times in a write.
   */
  async commitOf(ref: string, held?: Partial<Held>): Promise<string | null> {
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
    if (this.knownUrl?.key === key) return this.knownUrl.value;
    const answer = await git(['config', '--get', 'remote.origin.url'], this.git(held));
    const text = answer.stdout.toString('utf8').trim();
    const value = answer.code === 0 && text !== '' ? text : null;
    this.knownUrl = { key, value };
    return value;
  }

  /** Returns the last fetched commit of the remote's branch. */
  remoteHead(held?: Partial<Held>): Promise<string | null> {
    return this.commitOf(`refs/remotes/origin/${this.branch}`, held);
  }

  /** Returns how far the branch and the last fetched remote have diverged; null if there is nothing to compare with. */
  async apart(held?: Partial<Held>): Promise<{ readonly ahead: number; readonly behind: number } | null> {
    const [head, remote] = [await this.head(held), await this.remoteHead(held)];
    return head === null || remote === null ? null : this.between(head, remote, held);
  }

  async between(
    head: string,
    remote: string,
    held?: Partial<Held>,
  ): Promise<{ readonly ahead: number; readonly behind: number }> {
    if (head === remote) return { ahead: 0, behind: 0 };
    const text = await gitText(['rev-list', '--left-right', '--count', `${head}...${remote}`], this.git(held));
    const [ahead = 0, behind = 0] = text.trim().split(/\s+/).map(Number);
    return { ahead, behind };
  }

  async isAncestor(commit: string, of: string, held?: Partial<Held>): Promise<boolean> {
    return (await git(['merge-base', '--is-ancestor', commit, of], this.git(held))).code === 0;
  }

  /** Returns paths that differ from the branch, at most 20. */
  async dirt(held?: Partial<Held>): Promise<string[]> {
    const suspects = this.watch?.suspects() ?? null;
    if (suspects !== null && suspects.length === 0) return [];
    const args = ['status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames'];
    const limited = suspects === null ? [] : ['--', ...suspects];
    const found = parseStatus(await gitText([...args, ...limited], this.git(held)));
    if (found.length === 0) this.watch?.trust(suspects);
    return found.slice(0, 20);
  }

  /** @throws AishError `knowledge_dirty`, which names the changes of others; `knowledge_invalid` for another branch. */
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
    throw new AishError('knowledge_dirty', `There are uncommitted changes: ${dirt.slice(0, 5).join(', ')}`, {
      paths: dirt,
    });
  }
}

/** Splits the output of `git status --porcelain=v1 -z` into its entries. */
function parseStatus(text: string): string[] {
  return text.split('\0').flatMap((entry) => (entry.length > 3 ? [entry.slice(3)] : []));
}
