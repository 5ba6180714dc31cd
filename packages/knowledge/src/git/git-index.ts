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

  /** @param lock held; it ends with the update. @param options for git. @throws AishError `knowledge_git` */
  begin(lock: IndexLock, options: GitOptions): IndexUpdate {
    try {
      return this.begun(lock, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private begun(lock: IndexLock, options: GitOptions): IndexUpdate {
    const known = this.isStaying ? this.read() : null;
    if (known === null) return GitIndexUpdate.begin(lock, options);
    const isPacked = ownCount(known.index) <= Math.max(APART_MIN, known.shared.count * APART_SHARE);
    return isPacked ? new SplitIndexUpdate(this.dir, known, lock, options) : GitIndexUpdate.begin(lock, options, true);
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
    if (all.length <= PATHS_MAX && understood(() => this.change(all)) === true) return;
    await GitIndexUpdate.begin(this.lock, this.options).finish(all);
  }

  cancel(): Promise<void> {
    return Promise.resolve().then(() => this.lock.release());
  }

  /** @returns false when git has to do it. */
  private change(paths: readonly string[]): boolean {
    const { index, shared, mode, mtimeNs } = this.known;
    const changes = new Map(paths.map((path) => [Buffer.from(path).toString('latin1'), null as Buffer | null]));
    for (const path of changes.keys()) changes.set(path, entryOf(this.dir, path));
    for (const [key, head] of [...index.replaced, ...index.added]) {
      if (!isRacy(mtimeOf(head), mtimeNs)) continue;
      const path = typeof key === 'number' ? shared.pathAt(key) : key;
      if (!changes.has(path) && !isStillSo(this.dir, path, head, mtimeNs)) return false;
    }
    this.lock.replaceIndex(serializeIndex(changeIndex(index, shared, changes)), mode);
    return true;
  }
}

/** @returns null where `act` gives up or a file is in its way: git then does it, and says so when it cannot either. */
function understood<T>(act: () => T): T | null {
  try {
    return act();
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
