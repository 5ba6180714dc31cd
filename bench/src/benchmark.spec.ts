import { describe, expect, it } from '@jest/globals';
import { report, table, type Benchmark } from './benchmark.js';
import { percentile } from './statistics.js';

const benchmark: Benchmark = {
  name: 'x',
  about: '',
  goals: { a_ratio: { op: '<=', value: 2 }, b_per_s: { op: '>=', value: 10 } },
  run: () => Promise.resolve({}),
};

describe('the report of a benchmark', () => {
  it('a benchmark passes only if it meets all its goals', () => {
    expect(report(benchmark, { a_ratio: 2, b_per_s: 10 }).pass).toBe(true);
    expect(report(benchmark, { a_ratio: 2.1, b_per_s: 10 }).pass).toBe(false);
    expect(table(report(benchmark, { a_ratio: 2.1, b_per_s: 10 }))).toContain('MISSED goal <= 2');
  });

  it('a benchmark misses a goal whose figure was not measured', () => {
    expect(report(benchmark, { a_ratio: 1 }).pass).toBe(false);
    expect(report(benchmark, { a_ratio: Number.NaN, b_per_s: 10 }).pass).toBe(false);
  });

  it('a quick run of a benchmark passes with any figures, and fails if a figure with a target is missing', () => {
    expect(report(benchmark, { a_ratio: 9, b_per_s: 1 }, true).pass).toBe(true);
    expect(report(benchmark, { a_ratio: 9, b_per_s: Number.NaN }, true).pass).toBe(false);
  });
});

describe('percentile', () => {
  it('percentile uses the nearest rank', () => {
    expect(percentile([5, 1, 3], 0.5)).toBe(3);
    expect(percentile([1, 2, 3, 4], 0.95)).toBe(4);
    expect(percentile([], 0.5)).toBeNaN();
  });
});
