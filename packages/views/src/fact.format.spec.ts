import { describe, expect, it } from '@jest/globals';
import { formatFact } from './fact.format.js';

describe('the fact behind a finding', () => {
  it('a fact shows readable sizes, times and flags, and marks unknown values', () => {
    const values = {
      tool: 'folder',
      readable: 1,
      files: 30,
      newest: 1_795_538_645,
      bytes: 9_000_000_000,
      median: null,
      time: '',
    };
    expect(formatFact(values)).toEqual([
      'tool: folder',
      'readable: yes',
      'files: 30',
      'newest: 2026-11-24 16:44 UTC',
      'bytes: 9.0 GB',
      'median: unknown',
    ]);
    expect(formatFact({ kb: 2_048, answers: 0 })).toEqual(['size: 2.1 MB', 'answers: no']);
  });

  it('a fact shows text of a host on one line, without hidden characters', () => {
    expect(formatFact({ state: 'dead\nsize: 1 kB\u202E' })).toHaveLength(1);
    expect(formatFact({ state: 'dead\nsize: 1 kB\u202E' })[0]).not.toMatch(/[\n\u202E]/);
  });
});
