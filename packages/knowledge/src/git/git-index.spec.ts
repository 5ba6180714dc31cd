import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { DirtWatch } from '../base/dirt-watch.js';
import { Repository } from '../base/repository.js';
import { GitIndex } from './git-index.js';
import { IndexLock } from './index-lock.js';
import { GitIndexUpdate } from './index-update.js';
import { parseIndex } from './index-format.js';

const PATHS = [
  'a', 'a/b', 'a/b/c', 'a.b', 'a-b', 'a0', 'index.org', 'nodes/3f/x.org', 'nodes/3f/xy.org', 'nodes/40/x.org', 'nodes/40.org',
  'raw/ü ñ.txt', 'raw/"quoted"\\.txt', 'raw/tab\there', 'raw/😀.txt', 'raw/\u{ff5e}.txt', `raw/${'long'.repeat(60)}/${'name'.repeat(60)}`,
]; // prettier-ignore
const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: tmpdir(), LC_ALL: 'C' };

/** A repository in which aish, as a process that stays, and a person with git write in turn. */
class Shared {
  readonly dir = mkdtempSync(join(tmpdir(), 'aish-index-'));
  readonly repository = new Repository({ dir: this.dir, branch: 'main', env: ENV, watch: new DirtWatch(this.dir) });
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
    // Older than the index: git would have to compare contents otherwise, and does it then.
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

  /** Sets files or removes them, and whatever is in their way. */
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
    // What goes makes room for what comes.
    const sorted = new Map(real.toSorted(([, a], [, b]) => Number(a !== null) - Number(b !== null)));
    await this.commit(sorted);
  }

  async commit(changes: ReadonlyMap<string, Buffer | null>): Promise<string> {
    const head = await this.repository.head();
    const held = { lockFd: this.lockFd, signal: new AbortController().signal };
    return this.repository.commit({ parent: head, changes, message: 'a', author: 'me', now: new Date() }, held);
  }

  /** What git finds wrong, by each way in which it looks. */
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
      // By the trees that the index claims to know.
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

let shared: Shared;
const byGit = jest.spyOn(GitIndexUpdate, 'begin');
beforeEach(() => void byGit.mockClear());
afterEach(() => shared.remove());
const wanted = fc.array(fc.tuple(fc.constantFrom(...PATHS, 'nodes/1f/1.org', 'nodes/2f/2.org'), fc.boolean()), {
  minLength: 1,
  maxLength: 4,
});
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ aish: wanted }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      ['update-index', '--split-index'],
      ['update-index', '--index-version', '2'],
      ['update-index', '--index-version', '4'],
      ['status', '--porcelain'],
      ['read-tree', 'HEAD'],
      ['reset', '--quiet', '--hard', 'HEAD~1'],
      ['commit by hand'],
    ),
  },
);

describe('git’s index in a process that stays', () => {
  it('is what git makes of it, whoever writes in between', async () => {
    let [own, all] = [0, 0];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        shared = new Shared();
        try {
          for (const [n, each] of steps.entries()) {
            byGit.mockClear();
            if ('aish' in each) {
              await shared.byAish(each.aish);
              all += 1;
              own += byGit.mock.calls.length === 0 ? 1 : 0;
            } else if (each[0] === 'commit by hand') {
              shared.put(`by-hand-${n % 3}.org`, String(n));
              shared.byHand();
            } else if (each[0] !== 'reset' || shared.git('rev-list', '--count', 'HEAD') !== '1\n') shared.git(...each);
            expect(shared.faults()).toEqual([]);
          }
          // Checksum and trees of the index, too.
          shared.git('fsck', '--strict');
        } finally {
          shared.remove();
        }
      }),
      { numRuns: 12 },
    );
    expect([own > all / 4, all > 0]).toEqual([true, true]);
  }, 300_000);

  it('has the same entries, trees and bitmaps as when git writes it', async () => {
    shared = new Shared();
    const [index, before, gits] = ['index', 'before', 'gits'].map((name) => join(shared.dir, '.git', name)) as [
      string,
      string,
      string,
    ];
    for (let n = 0; n < 12; n += 1) {
      copyFileSync(index, before);
      const paths = [`nodes/0f/${4 * n}.org`, `nodes/1f/new-${n}.org`, `new/${n % 2}.org`];
      await shared.byAish(paths.map((path, at) => [path, at === 1 || n % 3 > 0] as const));
      copyFileSync(before, gits);
      shared.gitWith({ GIT_INDEX_FILE: gits }, 'update-index', '--add', '--remove', ...paths);
      const [ours, theirs] = [parseIndex(readFileSync(index)), parseIndex(readFileSync(gits))];
      // Ours leaves the caches of git’s that hold no more.
      const trees = ({ extensions }: typeof ours) => extensions.get('TREE')?.toString('latin1');
      const sorted = ({ added, replaced, deleted }: typeof ours) => [
        new Map([...added].toSorted(byPath)),
        replaced,
        deleted,
      ];
      expect([sorted(ours), trees(ours)]).toEqual([sorted(theirs), trees(theirs)]);
    }
    expect(byGit).not.toHaveBeenCalled();
  });

  it('looks again at what was written in the second before, as git does', async () => {
    shared = new Shared();
    await shared.byAish([['a', true]]);
    const file = join(shared.dir, 'a');
    const { atime, mtime } = statSync(file);
    // As long as before, and as old: only what is in it tells.
    writeFileSync(file, 'TEXT 1');
    utimesSync(file, atime, mtime);
    await shared.byAish([['a.b', true]]);
    await pause(1_100);
    await shared.byAish([['a0', true]]);
    expect(shared.git('status', '--porcelain')).toBe(' M a\n');
  });

  it('is packed when much is apart from its shared part', async () => {
    shared = new Shared();
    const many = Array.from({ length: 200 }, (_, n) => [`many/${n}`, Buffer.from(String(n))] as const);
    await shared.commit(new Map(many));
    await shared.commit(new Map(many.map(([path, content]) => [`${path}.org`, content])));
    expect([byGit.mock.calls.length, parseIndex(readFileSync(join(shared.dir, '.git/index'))).added.size]).toEqual([
      0, 400,
    ]);
    await shared.commit(new Map([['a', Buffer.from('a')]]));
    expect([byGit.mock.calls.length, parseIndex(readFileSync(join(shared.dir, '.git/index'))).added.size]).toEqual([
      1, 0,
    ]);
    expect(shared.faults()).toEqual([]);
  });

  it('waits for a person’s git, and leaves branch, lock and journal alone when that does not end', async () => {
    shared = new Shared();
    const lock = join(shared.dir, '.git/index.lock');
    writeFileSync(lock, '');
    const head = shared.git('rev-parse', 'HEAD');
    await expect(shared.byAish([['a', true]])).rejects.toMatchObject({ code: 'knowledge_dirty' });
    expect([existsSync(lock), shared.git('rev-parse', 'HEAD'), await shared.repository.journal.read()]).toEqual([
      true,
      head,
      null,
    ]);
    const writing = shared.byAish([['a', true]]);
    await pause(200);
    rmSync(lock);
    await writing;
    expect([existsSync(lock), shared.faults()]).toEqual([false, []]);
  }, 20_000);
});

describe('what is not exactly understood', () => {
  const cases: readonly (readonly [string, (index: string) => void])[] = [
    ['an index that is not split', () => shared.git('update-index', '--no-split-index')],
    ['a file that is assumed to be as it was', () => shared.git('update-index', '--assume-unchanged', 'nodes/0f/0.org')],
    ['a file that is left out', () => shared.git('update-index', '--skip-worktree', 'nodes/0f/0.org')],
    ['one file as old as the index', () => utimesSync(join(shared.dir, '.git/index'), 1_000_000_000, 1_000_000_000)],
    ['a shared part that is gone', (index) => rmSync(join(dirname(index), `sharedindex.${parseIndex(readFileSync(index)).shared}`))],
    ['an extension that has to be understood', (index) => rewrite(index, (body) => Buffer.concat([body, Buffer.from('xxxx\0\0\0\0')]))],
    ['an index of a later version', (index) => rewrite(index, (body) => Buffer.concat([body.subarray(0, 4), Buffer.from('\0\0\0\x05'), body.subarray(8)]))],
    ['an index that is cut off', (index) => rewrite(index, (body) => body.subarray(0, -7))],
    ['no index', (index) => rmSync(index)],
  ]; // prettier-ignore

  it.each(cases)('%s is left to git', async (_name, make) => {
    shared = new Shared();
    await shared.byAish([['index.org', true]]);
    byGit.mockClear();
    make(join(shared.dir, '.git/index'));
    // Git may find that it cannot do it either: then it is the one who says so.
    await shared
      .commit(new Map([['a', Buffer.from('a')]]))
      .catch((error: unknown) => expect(error).toMatchObject({ code: 'knowledge_git' }));
    expect([byGit.mock.calls.length, existsSync(join(shared.dir, '.git/index.lock'))]).toEqual([1, false]);
  });

  it.each([
    ['executable', (file: string) => writeFileSync(file, 'a', { mode: 0o755 }), '100755'],
    ['a link', (file: string) => symlinkSync('index.org', file), '120000'],
    ['large', (file: string) => writeFileSync(file, Buffer.alloc(5_000_000)), '100644'],
  ] as const)('a file that is %s is left to git', async (_name, make, mode) => {
    shared = new Shared();
    make(join(shared.dir, 'a'));
    const lock = IndexLock.take(join(shared.dir, '.git')) as IndexLock;
    await new GitIndex(shared.dir, true).begin(lock, shared.repository.git()).finish(['a']);
    expect(byGit).toHaveBeenCalledTimes(1);
    expect([shared.git('ls-files', '--stage', 'a').slice(0, 6), shared.git('status', '--porcelain')]).toEqual([
      mode,
      'A  a\n',
    ]);
  });

  it('is left to git where objects have names of another kind, and by a process that ends after one change', async () => {
    shared = new Shared('--object-format=sha256');
    await shared.byAish([['a', true]]);
    expect([byGit.mock.calls.length, shared.faults()]).toEqual([1, []]);
    shared.remove();
    shared = new Shared();
    const lock = IndexLock.take(join(shared.dir, '.git')) as IndexLock;
    await new GitIndex(shared.dir, false).begin(lock, shared.repository.git()).cancel();
    expect([byGit.mock.calls.length, shared.faults()]).toEqual([2, []]);
  });
});

function rewrite(index: string, change: (body: Buffer) => Buffer): void {
  const body = change(readFileSync(index).subarray(0, -20));
  writeFileSync(index, Buffer.concat([body, createHash('sha1').update(body).digest()]));
}

function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
