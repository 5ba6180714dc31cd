import { describe, expect, it } from '@jest/globals';
import type { Held, HeldItem } from './effects.js';
import { heldLine } from './held-line.js';

const NONE = { files: 0, bytes: 0 };
const held = (over: Partial<Held>): Held => ({
  verdict: 'waiting',
  deleted: NONE,
  overwritten: NONE,
  own: null,
  ...over,
});
const deleted = (path: string): HeldItem => ({ path, how: 'deleted', why: 'deleted' });

describe('the line about held changes', () => {
  it.each<[string, Partial<Held>, string]>([
    [
      'the line names what an approved command did beyond its text',
      { deleted: { files: 2, bytes: 10 }, overwritten: { files: 1, bytes: 3 } },
      'it deleted 2 files (10 B) and overwrote 1 file (3 B) that were there before',
    ],
    [
      'the line names a few of many files',
      { approved: true, deleted: { files: 2, bytes: 1 }, items: [deleted('logs/a.log'), deleted('logs/b.log')] },
      'it also deleted logs/a.log and logs/b.log',
    ],
    [
      'names few of many',
      { approved: true, deleted: { files: 5, bytes: 1 }, items: ['a', 'b', 'c', 'd', 'e'].map(deleted) },
      'it also deleted a, b, c and 2 more',
    ],
    [
      'the line quotes a refusal first',
      {
        deleted: { files: 1, bytes: 2 },
        items: [{ path: 'a', how: 'deleted', why: 'refused' }],
        refused: [{ step: 3, words: 'do not delete the logs', paths: ['a'] }],
      },
      'You refused this at step 3: "do not delete the logs". It deleted 1 file (2 B) that were there before',
    ],
    [
      'the line quotes a refusal without words',
      { items: [{ path: 'a', how: 'appended', why: 'refused' }], refused: [{ step: null, words: null, paths: ['a'] }] },
      'You refused this before. It changed a',
    ],
    [
      'the line says that other programs run the file',
      {
        items: [
          { path: '.git/hooks/x', how: 'created', why: 'start' },
          { path: 'a', how: 'permissions', why: 'permissions' },
        ],
      },
      'it changed the permissions of a, and wrote to .git/hooks/x, which other programs run or read when they start',
    ],
    ['says when it could not all be looked at', {}, 'it made more changes than aish could check'],
  ])('the line about held changes is correct: %s', (_, over, line) => {
    expect(heldLine(held(over))).toBe(line);
  });
});
