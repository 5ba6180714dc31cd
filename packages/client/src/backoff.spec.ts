import { describe, expect, it } from '@jest/globals';
import { afterLoss, noAttempts } from './backoff.js';

const refused = { openMs: 0, messages: 0 };

describe('afterLoss', () => {
  it('the pause before a new connection doubles with each failure in a row, up to ten seconds', () => {
    let attempts = noAttempts;
    const pauses = Array.from({ length: 8 }, () => {
      const next = afterLoss(attempts, refused, 1);
      attempts = next.attempts;
      return next.pauseMs;
    });
    expect(pauses).toEqual([300, 600, 1200, 2400, 4800, 9600, 10_000, 10_000]);
  });

  it('the pause is short again after a connection that delivered a message or lasted a while', () => {
    const tired = { failures: 9 };
    expect(afterLoss(tired, { openMs: 10, messages: 1 }, 1).pauseMs).toBe(300);
    expect(afterLoss(tired, { openMs: 6_000, messages: 0 }, 1).pauseMs).toBe(300);
    expect(afterLoss(tired, { openMs: 10, messages: 0 }, 1).pauseMs).toBe(10_000);
  });

  it('chance shortens the pause before a new connection by at most half', () => {
    expect(afterLoss({ failures: 9 }, refused, 0).pauseMs).toBe(5_000);
  });
});
