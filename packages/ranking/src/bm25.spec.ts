import { describe, expect, it } from '@jest/globals';
import { bm25, heldOf, probablyAnswers } from './bm25.js';

const corpus = { texts: 100, holding: [2, 50], averageLength: 10 };
const score = (counts: number[], length = 10) => bm25([{ counts, length }], corpus)[0];

describe('bm25', () => {
  it('bm25 gives more weight to rare words, and less to repeated mentions and long texts', () => {
    const of = (counts: number[], length?: number) => score(counts, length)?.score ?? 0;
    expect(of([1, 0])).toBeGreaterThan(of([0, 3]));
    expect(of([2, 0]) - of([1, 0])).toBeGreaterThan(of([3, 0]) - of([2, 0]));
    expect(of([1, 0], 5)).toBeGreaterThan(of([1, 0], 50));
    expect(of([0, 0])).toBe(0);
  });

  it('coverage is the share of the question that a text contains, with unknown words as the rarest', () => {
    const coverage = (counts: number[], holding: number[]) =>
      bm25([{ counts, length: 5 }], { texts: 100, holding, averageLength: 5 })[0]?.coverage;
    expect(coverage([1, 1], [2, 50])).toBe(1);
    expect(coverage([1, 0], [2, 50])).toBeGreaterThan(0.7);
    expect(coverage([1, 0], [1, 0])).toBe(0.5);
    expect(coverage([1, 0], [50, 0])).toBeLessThan(0.2);
    expect(coverage([], [])).toBe(0);
  });

  it('a text answers a question if it contains most of its words, or half of them if those are rare', () => {
    const fits = (held: string, holding: readonly number[]) =>
      probablyAnswers(
        heldOf(
          held.split('').map((each) => each === '+'),
          { texts: 1_000, holding },
        ),
      );
    expect(fits('++-', [5, 5, 5])).toBe(true);
    // Two rare words of four are enough. One of two is not, and neither are words that all notes contain.
    expect([fits('++--', [1, 1, 1, 1]), fits('+-', [1, 1]), fits('++--', [200, 200, 200, 200])]).toEqual([
      true,
      false,
      false,
    ]);
    // An unknown word is probably the subject of the question.
    expect(fits('+++-', [200, 200, 200, 0])).toBe(false);
  });
});
