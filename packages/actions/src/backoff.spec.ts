import { describe, expect, it } from '@jest/globals';
import { pauseMs } from './backoff.js';

describe('pauseMs', () => {
  it('the pause doubles up to its upper bound', () => {
    expect([0, 1, 2, 3, 100].map((waits) => pauseMs(waits, 2_000, 10_000))).toEqual([
      2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
  });
});
