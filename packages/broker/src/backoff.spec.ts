import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { retryDelayMs } from './backoff.js';

describe('retryDelayMs', () => {
  it('the retry delay doubles up to the limit, and its upper half is random', () => {
    const options = { attempts: 9, minDelayMs: 100, maxDelayMs: 1000 };
    expect([1, 2, 3, 4, 5, 6].map((n) => retryDelayMs(n, options, 0))).toEqual([50, 100, 200, 400, 500, 500]);
    expect([1, 2, 3, 4, 5, 6].map((n) => retryDelayMs(n, options, 1))).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  it('the retry delay stays within its bounds, for any number of attempts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (n, chance) => {
        const delay = retryDelayMs(n, { attempts: 1, minDelayMs: 10, maxDelayMs: 60 }, chance);
        expect(delay).toBeGreaterThanOrEqual(5);
        expect(delay).toBeLessThanOrEqual(60);
      }),
    );
  });
});
