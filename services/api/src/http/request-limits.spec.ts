import { describe, expect, it } from '@jest/globals';
import { RequestLimits } from './request-limits.js';

describe('RequestLimits', () => {
  it('a token with too many requests is refused, and the error says when to retry', async () => {
    const limits = new RequestLimits(3, 10);
    for (let n = 0; n < 3; n += 1) await limits.request('a');
    await expect(limits.request('a')).rejects.toMatchObject({
      code: 'too_many',
      facts: { retryAfterS: expect.any(Number) },
    });
    await limits.request('b');
  });

  it('an address with too many wrong tokens is refused before its next token is checked', async () => {
    const limits = new RequestLimits(100, 2);
    await limits.mayTry('10.0.0.1');
    await limits.failed('10.0.0.1');
    await limits.mayTry('10.0.0.1');
    await limits.failed('10.0.0.1');
    await expect(limits.mayTry('10.0.0.1')).rejects.toMatchObject({ code: 'too_many' });
    await limits.mayTry('10.0.0.2');
  });
});
