import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SharedRepository } from '../testing/shared-repository.js';
import { DirtWatch } from './dirt-watch.js';

let shared: SharedRepository;
let watch: DirtWatch;
afterEach(() => {
  watch.stop();
  shared.remove();
});
/**
 * How long the test waits for notices of the kernel, in milliseconds. They usually arrive sooner, but a busy machine
 * takes longer.
 */
const TOLD_MS = 60;

const file = fc.constantFrom('a.org', 'nodes/0f/0.org', 'nodes/0f/new.org', 'new/deep/er/x.org', 'raw/x.txt');
const act = fc.oneof(
  fc.record({ write: file, text: fc.string({ maxLength: 5 }) }),
  fc.record({ remove: fc.constantFrom('nodes/0f/0.org', 'nodes/1f', 'a.org', 'new') }),
  fc.record({ move: fc.constantFrom('nodes/2f', 'nodes/0f/4.org'), to: fc.constantFrom('moved', 'moved.org') }),
  fc.constant({ trust: true }),
);

it('the watch lists every file that git finds changed, or reports that it cannot know', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      shared = new SharedRepository();
      watch = new DirtWatch(shared.dir);
      try {
        await watch.start();
        watch.trust(null);
        for (const each of acts) {
          if ('write' in each) shared.put(each.write, each.text);
          else if ('remove' in each) rmSync(join(shared.dir, each.remove), { recursive: true, force: true });
          else if ('move' in each) {
            try {
              renameSync(join(shared.dir, each.move), join(shared.dir, each.to));
            } catch (error) {
              // The file was moved or removed before, or the target already exists.
              expect((error as NodeJS.ErrnoException).code).toMatch(/^(?:ENOENT|ENOTEMPTY|ENOTDIR|EISDIR)$/);
            }
          } else if (dirtyPaths().length === 0) watch.trust(null);
          await pause(TOLD_MS);
        }
        const suspects = watch.suspects();
        const unseen = dirtyPaths().filter((path) => suspects !== null && !suspects.includes(path));
        expect(unseen).toEqual([]);
      } finally {
        watch.stop();
        shared.remove();
      }
    }),
    { numRuns: 12 },
  );
}, 120_000);

it("the watch does not report aish's own changes, but reports a later change to the same file", async () => {
  shared = new SharedRepository();
  watch = new DirtWatch(shared.dir);
  expect(watch.suspects()).toBeNull();
  await watch.start();
  watch.trust(null);
  expect(watch.suspects()).toEqual([]);
  shared.put('nodes/0f/0.org', 'by aish');
  watch.expect(['nodes/0f/0.org']);
  await pause(TOLD_MS);
  expect(watch.suspects()).toEqual([]);
  shared.put('nodes/0f/0.org', 'by hand');
  await pause(TOLD_MS);
  expect(watch.suspects()).toEqual(['nodes/0f/0.org']);
  watch.trust(['nodes/0f/0.org']);
  expect(watch.suspects()).toEqual([]);
});

it('the watch reports that it cannot know after too many changes, and after it was stopped', async () => {
  shared = new SharedRepository();
  watch = new DirtWatch(shared.dir);
  await watch.start();
  watch.trust(null);
  mkdirSync(join(shared.dir, 'raw'), { recursive: true });
  await pause(TOLD_MS);
  for (let n = 0; n < 600; n += 1) writeFileSync(join(shared.dir, 'nodes/0f', `${n}.txt`), '');
  await pause(TOLD_MS * 4);
  expect(watch.suspects()).toBeNull();
  watch.trust(null);
  expect(watch.suspects()).toEqual([]);
  watch.stop();
  expect(watch.suspects()).toBeNull();
});

function dirtyPaths(): string[] {
  const text = shared.git('status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames');
  return text.split('\0').flatMap((entry) => (entry.length > 3 ? [entry.slice(3)] : []));
}
