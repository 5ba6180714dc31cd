import { describe, expect, it } from '@jest/globals';
import { bm25 } from './bm25.js';

const corpus = { texts: 100, holding: [2, 50], averageLength: 10 };
const score = (counts: number[], length = 10) => bm25([{ counts, length }], corpus)[0];

describe('bm25', () => {
  it('tells more by rare words, less by each further mention, and less by long texts', () => {
    const of = (counts: number[], length?: number) => score(counts, length) ?? 0;
    expect(of([1, 0])).toBeGreaterThan(of([0, 3]));
    expect(of([2, 0]) - of([1, 0])).toBeGreaterThan(of([3, 0]) - of([2, 0]));
    expect(of([1, 0], 5)).toBeGreaterThan(of([1, 0], 50));
    expect(of([0, 0])).toBe(0);
  });
});
