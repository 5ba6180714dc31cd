import { describe, expect, it } from '@jest/globals';
import { hammerKnowledge } from '../../chaos/knowledge-hammer.js';
import { verifies } from '../../requirements.js';

/** This is the short version. `npm run chaos -- knowledge-hammer` is the long one. */
describe('the knowledge base under many writers', () => {
  it(
    verifies('knowledge.hammer'),
    async () => {
      const { counts, faults } = await hammerKnowledge(12);
      expect(faults).toEqual([]);
      expect(counts.promised).toBeGreaterThan(0);
      expect(counts.kills).toBeGreaterThan(3);
    },
    132_000,
  );
});
