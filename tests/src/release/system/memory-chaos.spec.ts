import { describe, expect, it } from '@jest/globals';
import { killsInCompaction } from '../../chaos/memory-kills.js';
import { crowdOfWriters } from '../../chaos/memory-writers.js';
import { verifies } from '../../requirements.js';

/** These are short versions. `npm run chaos -- memory-writers` and `memory-kills` are the long ones. */
describe('the memory under stress', () => {
  it(
    verifies('memory.many-writers'),
    async () => {
      const { counts, faults } = await crowdOfWriters({ processes: 4, writers: 16, seconds: 3 });
      expect(faults).toEqual([]);
      // How often each kind of write succeeds depends on the machine, but all kinds must succeed.
      for (const what of ['added', 'forgotten', 'appended'] as const) expect(counts[what]).toBeGreaterThan(0);
    },
    120_000,
  );

  it(
    verifies('memory.kill-compaction'),
    async () => {
      const { counts, faults } = await killsInCompaction(4);
      expect(faults).toEqual([]);
      expect(Number(counts['old']) + Number(counts['new'])).toBe(4);
    },
    120_000,
  );
});
