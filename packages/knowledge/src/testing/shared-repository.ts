import { execFileSync } from 'node:child_process';
import { closeSync, copyFileSync, mkdirSync, mkdtempSync, openSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Checkout } from '../base/checkout.js';
import { DirtWatch } from '../base/dirt-watch.js';
import { Repository, type Held } from '../base/repository.js';

const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: tmpdir(), LC_ALL: 'C' };

/** A repository in which aish, as a long-running process, and a person with git write alternately. */
export class SharedRepository {
  readonly dir = mkdtempSync(join(tmpdir(), 'aish-index-'));
  readonly repository = new Repository({ dir: this.dir, branch: 'main', env: ENV, watch: new DirtWatch(this.dir) });
  private readonly checkout = new Checkout(this.repository);
  private readonly lockFd: number;
  private written = 0;
  private isRemoved = false;

  constructor(...init: readonly string[]) {
    this.git('init', '--quiet', '--initial-branch=main', ...init);
    for (const setting of ['core.splitIndex=true', 'core.untrackedCache=true', 'splitIndex.maxPercentChange=100']) {
      this.git('config', ...setting.split('='));
    }
    mkdirSync(this.repository.stateDir);
    this.lockFd = openSync(join(this.repository.stateDir, 'lock'), 'a');
    for (let n = 0; n < 40; n += 1) this.put(`nodes/${n % 4}f/${n}.org`, `node ${n}`);
    this.byHand();
    this.git('update-index', '--split-index', '--index-version', '4');
    // The files must be older than the index, because git would otherwise have to compare contents.
    for (const path of this.tracked()) utimesSync(join(this.dir, path), 1_000_000_000, 1_000_000_000);
    this.git('update-index', '--refresh', '--split-index');
  }

  git(...args: readonly string[]): string {
    return this.gitWith({}, ...args);
  }

  gitWith(env: Readonly<Record<string, string>>, ...args: readonly string[]): string {
    const settings = ['-c', 'user.name=hand', '-c', 'user.email=hand@localhost'];
    return execFileSync('git', [...settings, ...args], {
      cwd: this.dir,
      env: { ...ENV, ...env },
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  tracked(): string[] {
    return Buffer.from(this.git('ls-files', '-z'), 'latin1').toString('utf8').split('\0').filter(Boolean);
  }

  put(path: string, text: string): void {
    mkdirSync(dirname(join(this.dir, path)), { recursive: true });
    writeFileSync(join(this.dir, path), text);
  }

  byHand(): void {
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'by hand');
  }

  /** Writes or removes files, and removes everything that is in their way. */
  async byAish(wanted: readonly (readonly [path: string, isThere: boolean])[]): Promise<void> {
    const before = this.tracked();
    const files = new Set(before);
    const changes = new Map<string, Buffer | null>();
    for (const [path, isThere] of wanted) {
      const inTheWay = [...files].filter((other) => other.startsWith(`${path}/`) || path.startsWith(`${other}/`));
      for (const gone of isThere ? inTheWay : [path]) if (files.delete(gone)) changes.set(gone, null);
      if (isThere) files.add(path);
      if (isThere) changes.set(path, Buffer.from(`text ${(this.written += 1)}`));
    }
    const real = [...changes].filter(([path, content]) => content !== null || before.includes(path));
    // Removals come first to make room.
    const sorted = new Map(real.toSorted(([, a], [, b]) => Number(a !== null) - Number(b !== null)));
    await this.commit(sorted);
  }

  async commit(changes: ReadonlyMap<string, Buffer | null>): Promise<string> {
    const head = await this.repository.head();
    return this.checkout.commit({ parent: head, changes, message: 'a', author: 'me', now: new Date() }, this.held());
  }

  /** Does what the next writer would do first. */
  async recover(): Promise<void> {
    await this.checkout.recover(this.held());
  }

  private held(): Held {
    return { lockFd: this.lockFd, signal: new AbortController().signal };
  }

  /** Returns every problem that git's own checks find. */
  faults(): string[] {
    const copy = join(this.dir, '.git', 'copy');
    const other = { GIT_INDEX_FILE: copy };
    const asFound = this.git('ls-files', '--stage', '-v', '-z');
    rmSync(copy, { force: true });
    this.gitWith(other, 'read-tree', 'HEAD');
    const fresh = this.gitWith(other, 'ls-files', '--stage', '-v', '-z');
    copyFileSync(join(this.dir, '.git/index'), copy);
    return [
      this.gitWith({ GIT_OPTIONAL_LOCKS: '0' }, 'status', '--porcelain', '--untracked-files=all'),
      asFound === fresh ? '' : `git ls-files: ${asFound} instead of ${fresh}`,
      this.gitWith(other, 'update-index', '--refresh'),
      // This checks the trees that the index claims to know.
      this.gitWith(other, 'write-tree') === this.git('rev-parse', 'HEAD^{tree}') ? '' : 'git write-tree: another tree',
    ].filter((fault) => fault !== '');
  }

  remove(): void {
    if (this.isRemoved) return;
    this.isRemoved = true;
    closeSync(this.lockFd);
    rmSync(this.dir, { recursive: true, force: true });
  }
}
