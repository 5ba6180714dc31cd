import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import * as fc from 'fast-check';
import { SharedRepository } from '../testing/shared-repository.js';
import { GitIndex } from './git-index.js';
import { IndexLock } from './index-lock.js';
import { GitIndexUpdate } from './index-update.js';
import { parseIndex } from './index-format.js';

const PATHS = [
  'a', 'a/b', 'a/b/c', 'a.b', 'a-b', 'a0', 'index.org', 'nodes/3f/x.org', 'nodes/3f/xy.org', 'nodes/40/x.org', 'nodes/40.org',
  'raw/ü ñ.txt', 'raw/"quoted"\\.txt', 'raw/tab\there', 'raw/😀.txt', 'raw/\u{ff5e}.txt', `raw/${'long'.repeat(60)}/${'name'.repeat(60)}`,
]; // prettier-ignore
let shared: SharedRepository;
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
        shared = new SharedRepository();
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
    shared = new SharedRepository();
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
    shared = new SharedRepository();
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
    shared = new SharedRepository();
    for (let part = 0; part < 5; part += 1) {
      const files = Array.from({ length: 60 }, (_, n) => [`many/${part}-${n}`, Buffer.from(`${part} ${n}`)] as const);
      await shared.commit(new Map(files));
    }
    const apart = () => parseIndex(readFileSync(join(shared.dir, '.git/index'))).added.size;
    expect([byGit.mock.calls.length, apart()]).toEqual([0, 300]);
    await shared.commit(new Map([['a', Buffer.from('a')]]));
    expect([byGit.mock.calls.length, apart()]).toEqual([1, 0]);
    expect(shared.faults()).toEqual([]);
  });

  it('waits for a person’s git, and leaves branch, lock and journal alone when that does not end', async () => {
    shared = new SharedRepository();
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
    // Killed now, its successor must not take that lock for its own.
    expect(await shared.repository.journal.read()).toBeNull();
    rmSync(lock);
    await writing;
    expect([existsSync(lock), shared.faults()]).toEqual([false, []]);
  }, 20_000);
});

describe('git’s index', () => {
  it.each([true, false])('is locked from begin to end, also while git changes it (staying: %s)', async (isStaying) => {
    shared = new SharedRepository();
    shared.put('a', 'a');
    shared.git('hash-object', '-w', 'a');
    const lock = IndexLock.take(join(shared.dir, '.git')) as IndexLock;
    const update = new GitIndex(shared.dir, isStaying).begin(lock, shared.repository.git());
    for (let n = 0; n < 5; n += 1) {
      expect(() => shared.byHand()).toThrow('index.lock');
      await pause(10);
    }
    await update.finish(['a']);
    expect([byGit.mock.calls.length, shared.git('diff', '--cached', '--name-only')]).toEqual([
      isStaying ? 0 : 1,
      'a\n',
    ]);
    shared.byHand();
    expect(shared.faults()).toEqual([]);
  });
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
    shared = new SharedRepository();
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
    ['not what was committed', (file: string) => writeFileSync(file, 'changed'), '100644'],
    ['large', (file: string) => writeFileSync(file, Buffer.alloc(5_000_000)), '100644'],
  ] as const)('a file that is %s is left to git', async (_name, make, mode) => {
    shared = new SharedRepository();
    make(join(shared.dir, 'a'));
    const lock = IndexLock.take(join(shared.dir, '.git')) as IndexLock;
    await new GitIndex(shared.dir, true).begin(lock, shared.repository.git()).finish(['a']);
    expect(byGit).toHaveBeenCalledTimes(1);
    expect([shared.git('ls-files', '--stage', 'a').slice(0, 6), shared.git('status', '--porcelain')]).toEqual([
      mode,
      'A  a\n',
    ]);
  });

  it('is left to git where the index cannot be written', async () => {
    shared = new SharedRepository();
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC', syscall: 'write' });
    const replace = jest.spyOn(IndexLock.prototype, 'replaceIndex').mockImplementation(() => {
      throw full;
    });
    await shared.byAish([['a', true]]);
    replace.mockRestore();
    expect([byGit.mock.calls.length, shared.faults()]).toEqual([1, []]);
  });

  it('is left to git where objects have names of another kind, and by a process that ends after one change', async () => {
    shared = new SharedRepository('--object-format=sha256');
    await shared.byAish([['a', true]]);
    expect([byGit.mock.calls.length, shared.faults()]).toEqual([1, []]);
    shared.remove();
    shared = new SharedRepository();
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
