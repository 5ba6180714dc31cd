import { describe, expect, it } from '@jest/globals';
import { bm25 } from './bm25.js';

const corpus = { texts: 100, holding: [2, 50], averageLength: 10 };
const score = (counts: number[], length = 10) => bm25([{ counts, length }], corpus)[0];

describe('bm25', () => {
  it('tells more by rare words, less by each further mention, and less by long texts', () => {
    const of = (counts: number[], length?: number) => score(counts, length)?.score ?? 0;
    expect(of([1, 0])).toBeGreaterThan(of([0, 3]));
    expect(of([2, 0]) - of([1, 0])).toBeGreaterThan(of([3, 0]) - of([2, 0]));
    expect(of([1, 0], 5)).toBeGreaterThan(of([1, 0], 50));
    expect(of([0, 0])).toBe(0);
  });

  it('says which share of the question a text covers, words that nobody wrote counted as any', () => {
    const coverage = (counts: number[], holding: number[]) =>
      bm25([{ counts, length: 5 }], { texts: 100, holding, averageLength: 5 })[0]?.coverage;
    expect(coverage([1, 1], [2, 50])).toBe(1);
    expect(coverage([1, 0], [2, 50])).toBeGreaterThan(0.7);
    expect(coverage([1, 0], [2, 0])).toBe(0.5);
    expect(coverage([], [])).toBe(0);
  });
});
