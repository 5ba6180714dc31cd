import { closeSync, fstatSync, openSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { isAishError } from '@aish/contracts';
import { changeIndex, ownCount } from './change-index.js';
import type { GitOptions } from './git.js';
import { entryOf, isRacy, isStillSo } from './index-entry.js';
import { mtimeOf, parseIndex, serializeIndex, type SplitIndex } from './index-format.js';
import type { IndexLock } from './index-lock.js';
import { GitIndexUpdate, type IndexUpdate } from './index-update.js';
import { SharedIndex } from './shared-index.js';

/** More is left to git: this process has other things to do than to read so many files in one go. */
const PATHS_MAX = 256;
/** What is apart from the shared part is written with every change. A part of the whole, as git has it, but some in any case. */
const APART_MIN = 256;
const APART_SHARE = 0.01;

interface Known {
  readonly index: SplitIndex;
  readonly shared: SharedIndex;
  readonly mode: number;
  readonly mtimeNs: bigint;
}

/**
 * Git's index of a repository, as a process that stays changes it: the small part of a split index is written here, and the paths of
 * the large one are kept, so that it takes as long with a hundred thousand files as with a thousand. Git reads them all. Whatever
 * is not exactly understood is done by git.
 */
export class GitIndex {
  private readonly gitDir: string;
  private shared: SharedIndex | null = null;

  /** @param isStaying false for a process that ends after one change: git is the quicker one there. */
  constructor(
    private readonly dir: string,
    private readonly isStaying: boolean,
  ) {
    this.gitDir = join(dir, '.git');
  }

  /** @param lock held; it ends with the update. @param options for git. */
  begin(lock: IndexLock, options: GitOptions): IndexUpdate {
    let known: Known | null = null;
    try {
      known = this.isStaying ? this.read() : null;
    } finally {
      if (known === null) lock.release();
    }
    if (known === null) return GitIndexUpdate.begin(options);
    if (ownCount(known.index) <= Math.max(APART_MIN, known.shared.count * APART_SHARE)) {
      return new SplitIndexUpdate(this.dir, known, lock, options);
    }
    lock.release();
    return GitIndexUpdate.begin(options, true);
  }

  private read(): Known | null {
    return understood(() => {
      const { content, mode, mtimeNs } = readWithStat(join(this.gitDir, 'index'));
      const index = parseIndex(content);
      const file = join(this.gitDir, `sharedindex.${index.shared}`);
      // So git sees that it is in use, and does not remove it with the outdated ones.
      const now = new Date();
      utimesSync(file, now, now);
      if (this.shared?.hash !== index.shared) this.shared = SharedIndex.parse(readFileSync(file));
      // Where git would look into files of the shared part, it does.
      const isRacyShared = isRacy(this.shared.lastMtime, mtimeNs);
      return isRacyShared ? null : { index, shared: this.shared, mode, mtimeNs };
    });
  }
}

class SplitIndexUpdate implements IndexUpdate {
  constructor(
    private readonly dir: string,
    private readonly known: Known,
    private readonly lock: IndexLock,
    private readonly options: GitOptions,
  ) {}

  async finish(paths: Iterable<string>): Promise<void> {
    const all = [...paths];
    try {
      const content = all.length > PATHS_MAX ? null : understood(() => this.changed(all));
      if (content !== null) return this.lock.replaceIndex(content, this.known.mode);
    } finally {
      this.lock.release();
    }
    await GitIndexUpdate.begin(this.options).finish(all);
  }

  cancel(): Promise<void> {
    this.lock.release();
    return Promise.resolve();
  }

  /** The whole file; null when git has to make it. */
  private changed(paths: readonly string[]): Buffer | null {
    const { index, shared, mtimeNs } = this.known;
    const changes = new Map(paths.map((path) => [Buffer.from(path).toString('latin1'), null as Buffer | null]));
    for (const path of changes.keys()) changes.set(path, entryOf(this.dir, path));
    for (const [key, head] of [...index.replaced, ...index.added]) {
      if (!isRacy(mtimeOf(head), mtimeNs)) continue;
      const path = typeof key === 'number' ? shared.pathAt(key) : key;
      if (!changes.has(path) && !isStillSo(this.dir, path, head, mtimeNs)) return null;
    }
    return serializeIndex(changeIndex(index, shared, changes));
  }
}

/** @returns null where `read` gives up or a file cannot be read: git then does it, and says so when that is wrong. */
function understood<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (isAishError(error, 'knowledge_git') || (error as NodeJS.ErrnoException).syscall !== undefined) return null;
    throw error;
  }
}

function readWithStat(file: string): { readonly content: Buffer; readonly mode: number; readonly mtimeNs: bigint } {
  const fd = openSync(file, 'r');
  try {
    const { mode, mtimeNs } = fstatSync(fd, { bigint: true });
    return { content: readFileSync(fd), mode: Number(mode) & 0o777, mtimeNs };
  } finally {
    closeSync(fd);
  }
}
