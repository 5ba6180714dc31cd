import { describe, expect, it } from '@jest/globals';
import { goalsChaos } from '../../chaos/goals-chaos.js';
import { verifies } from '../../requirements.js';

/** This is the short version. `npm run chaos` is the long one. */
describe('goals while everything under them is killed', () => {
  it(
    verifies('goal.chaos'),
    async () => {
      const { counts, faults } = await goalsChaos({ goals: 10, workers: 2, kills: 8, seconds: 60, seed: 1 });
      expect(faults).toEqual([]);
      expect(counts['kills']).toBeGreaterThan(0);
    },
    300_000,
  );

  it(
    verifies('goal.chaos', 'a single process for api and worker, without Redis, also loses no goal'),
    async () => {
      const small = { goals: 6, workers: 1, small: true, kills: 5, seconds: 60, seed: 1 };
      const { counts, faults } = await goalsChaos(small);
      expect(faults).toEqual([]);
      expect(counts['kills']).toBeGreaterThan(0);
    },
    300_000,
  );
});
