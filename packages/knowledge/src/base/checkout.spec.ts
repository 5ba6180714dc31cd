import { existsSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { IndexLock } from '../git/index-lock.js';
import { IndexUpdate } from '../git/index-update.js';
import { SharedRepository } from '../testing/shared-repository.js';

const PATHS = [
  'a', 'a/b', 'a/b/c', 'a.b', 'a-b', 'a0', 'index.org', 'nodes/3f/x.org', 'nodes/3f/xy.org', 'nodes/40/x.org', 'nodes/40.org',
  'raw/ü ñ.txt', 'raw/"quoted"\\.txt', 'raw/tab\there', 'raw/😀.txt', 'raw/\u{ff5e}.txt', `raw/${'long'.repeat(60)}/${'name'.repeat(60)}`,
]; // prettier-ignore
let shared: SharedRepository;
afterEach(() => shared.remove());
const index = () => join(shared.dir, '.git/index');
const lockFile = () => join(shared.dir, '.git/index.lock');
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
      ['update-index', '--no-split-index'],
      ['update-index', '--index-version', '2'],
      ['status', '--porcelain'],
      ['read-tree', 'HEAD'],
      ['gc', '--quiet'],
      ['reset', '--quiet', '--hard', 'HEAD~1'],
      ['commit by hand'],
    ),
  },
);

describe('branch, files and git’s index', () => {
  it('branch, files and git’s index agree after each write, even if somebody else writes in between', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
        shared = new SharedRepository();
        try {
          for (const [n, each] of steps.entries()) {
            if ('aish' in each) await shared.byAish(each.aish);
            else if (each[0] === 'commit by hand') {
              shared.put(`by-hand-${n % 3}.org`, String(n));
              shared.byHand();
            } else if (each[0] !== 'reset' || shared.git('rev-list', '--count', 'HEAD') !== '1\n') shared.git(...each);
            expect(shared.faults()).toEqual([]);
          }
          // This also checks the checksum and the trees of the index.
          shared.git('fsck', '--strict');
        } finally {
          shared.remove();
        }
      }),
      { numRuns: 8 },
    );
  }, 300_000);

  it('git sees a file that changed within the last second, although its size and time are the same', async () => {
    shared = new SharedRepository();
    await shared.byAish([['a', true]]);
    const file = join(shared.dir, 'a');
    const { atime, mtime } = statSync(file);
    // Size and time stay the same, so only the content differs.
    writeFileSync(file, 'TEXT 1');
    utimesSync(file, atime, mtime);
    await shared.byAish([['a.b', true]]);
    await pause(1_100);
    await shared.byAish([['a0', true]]);
    expect(shared.git('status', '--porcelain')).toBe(' M a\n');
  });

  it.each([
    ['not split', () => shared.git('update-index', '--no-split-index')],
    ['older than its files', () => utimesSync(index(), 1_000_000_000, 1_000_000_000)],
    ['with a file that git is told to ignore changes of', () => shared.git('update-index', '--assume-unchanged', 'nodes/0f/0.org')],
  ] as const)('branch and files agree with an index that is %s, and the index stays that way', async (_name, make) => {
    shared = new SharedRepository();
    make();
    const flags = () => shared.git('ls-files', '-v', 'nodes/0f/0.org');
    const before = flags();
    await shared.byAish([['a', true], ['nodes/0f/4.org', false]]);
    expect([shared.git('status', '--porcelain'), flags()]).toEqual(['', before]);
    expect(shared.git('ls-files', 'a', 'nodes/0f/4.org')).toBe('a\n');
  }); // prettier-ignore

  it('branch, files and index agree in a repository with another hash format', async () => {
    shared = new SharedRepository('--object-format=sha256');
    await shared.byAish([['a', true]]);
    expect(shared.faults()).toEqual([]);
  });
});

describe('an index that git cannot read', () => {
  it.each(['index', 'its shared part'])('the writer reports a broken index, and its write finishes once the index is repaired (%s)', async (which) => {
    shared = new SharedRepository();
    const file = which === 'index' ? index() : join(shared.dir, shared.git('rev-parse', '--shared-index-path').trim());
    const whole = readFileSync(file);
    writeFileSync(file, 'not an index of git');
    await expect(shared.commit(new Map([['a', Buffer.from('a')]]))).rejects.toMatchObject({ code: 'knowledge_git' });
    expect(existsSync(lockFile())).toBe(false);
    writeFileSync(file, whole);
    await shared.recover();
    expect([shared.faults(), shared.git('ls-files', 'a'), await shared.repository.journal.read()]).toEqual([
      [],
      'a\n',
      null,
    ]);
  }); // prettier-ignore
});

describe('the lock of git’s index', () => {
  it('a write waits for the index lock, and changes nothing if it waits too long', async () => {
    shared = new SharedRepository();
    writeFileSync(lockFile(), '');
    const head = shared.git('rev-parse', 'HEAD');
    await expect(shared.byAish([['a', true]])).rejects.toMatchObject({ code: 'knowledge_dirty' });
    expect([existsSync(lockFile()), shared.git('rev-parse', 'HEAD'), await shared.repository.journal.read()]).toEqual([
      true,
      head,
      null,
    ]);
    const writing = shared.byAish([['a', true]]);
    await pause(200);
    // If this writer were killed now, its successor must not mistake the lock for its own.
    expect(await shared.repository.journal.read()).toBeNull();
    rmSync(lockFile());
    await writing;
    expect([existsSync(lockFile()), shared.faults()]).toEqual([false, []]);
  }, 20_000);

  it('the writer holds the index lock while git changes the copy', async () => {
    shared = new SharedRepository();
    shared.put('a', 'a');
    const lock = IndexLock.take(dirname(index())) as IndexLock;
    const update = IndexUpdate.begin(lock, shared.repository.git());
    for (let n = 0; n < 5; n += 1) {
      expect(() => shared.byHand()).toThrow('index.lock');
      await pause(10);
    }
    await update.finish(['a']);
    expect(shared.git('diff', '--cached', '--name-only')).toBe('a\n');
    shared.byHand();
    expect(shared.faults()).toEqual([]);
  });

  it('if a file cannot be written, the lock is released, and the next writer finishes from the journal', async () => {
    shared = new SharedRepository();
    // An uncommitted file that no check has seen is in the way of a new folder.
    shared.put('in-the-way', '');
    await expect(shared.commit(new Map([['in-the-way/a', Buffer.from('a')]]))).rejects.toMatchObject({
      code: 'EEXIST',
    });
    expect([existsSync(lockFile()), (await shared.repository.journal.read())?.paths]).toEqual([
      false,
      ['in-the-way/a'],
    ]);
    rmSync(join(shared.dir, 'in-the-way'));
    await shared.recover();
    expect([shared.faults(), await shared.repository.journal.read()]).toEqual([[], null]);
  });
});
