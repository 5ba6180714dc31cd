import { describe, expect, it } from '@jest/globals';
import { RESTART_POLICY, afterDeath } from './restart.policy.js';

describe('afterDeath', () => {
  it('the pause before a restart doubles with each death, up to a limit', () => {
    const pauses = [1, 2, 3, 4, 5].map((n) =>
      afterDeath(
        Array.from({ length: n }, () => 0),
        1,
      ),
    );
    expect(pauses).toEqual([250, 500, 1000, 2000, 4000].map((pauseMs) => ({ kind: 'restart', pauseMs })));
    const patient = { ...RESTART_POLICY, deathsAllowed: 50 };
    expect(
      afterDeath(
        Array.from({ length: 20 }, () => 0),
        1,
        patient,
      ),
    ).toEqual({ kind: 'restart', pauseMs: 15_000 });
  });

  it('a child is given up after too many deaths in a short time, and old deaths are forgotten', () => {
    expect(afterDeath([1, 2, 3, 4, 5, 6], 7)).toEqual({ kind: 'give-up' });
    expect(afterDeath([1, 2, 3, 4, 5, 200_000], 200_000)).toEqual({ kind: 'restart', pauseMs: 250 });
  });
});
