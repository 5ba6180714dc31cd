import { describe, expect, it } from '@jest/globals';
import { soak } from '../../chaos/soak.js';
import { verifies } from '../../requirements.js';

/** This is the short version. `npm run chaos -- soak` is the long one. */
describe('chats and goals while each part is killed in turn', () => {
  it(
    verifies('survival.soak'),
    async () => {
      const { counts, faults } = await soak({ streams: 6, goals: 3, workers: 1, rounds: 1, pauseSeconds: 0.5 });
      expect(faults).toEqual([]);
      expect(counts).toMatchObject({ kills: 5, chats: expect.any(Number), goals: expect.any(Number) });
      expect(Math.min(counts['chats'] ?? 0, counts['goals'] ?? 0)).toBeGreaterThan(0);
    },
    300_000,
  );
});
