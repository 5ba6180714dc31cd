import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { editDistance, nearestWord } from './nearest.js';

const WORDS = ['goals', 'goal', 'run', 'kb', 'quit', 'q', 'decisions', 'decide', 'memory', 'space', 'safety check'];

describe('the nearest word', () => {
  it.each([
    ['gaols', 'goals'],
    ['golas', 'goals'],
    ['rnu', 'run'],
    ['sapce', 'space'],
    ['memroy', 'memory'],
    ['desisions', 'decisions'],
    ['safety chek', 'safety check'],
    ['qq', 'q'],
    ['qiut', 'quit'],
    ['dec', 'decisions'],
    ['bk', 'kb'],
  ])('the nearest word to %s is %s', (typed, meant) => expect(nearestWord(typed, WORDS)).toBe(meant));

  it.each(['x', 'zz', 'xyzzy', 'restart', 'hello', ''])('no word is near %j', (typed) =>
    expect(nearestWord(typed, WORDS)).toBeNull(),
  );

  it('two swapped letters count as one mistake', () => {
    expect(editDistance('gaols', 'goals')).toBe(1);
    expect(editDistance('abc', '')).toBe(3);
  });

  it('the edit distance is the same in both directions, and 0 only for the same word', () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(word, word, (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});
