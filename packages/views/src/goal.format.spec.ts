import { describe, expect, it } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import { OUTCOME } from '@aish/contracts/testing/outcome';
import { formatOutcome } from './goal.format.js';

const outcome: RunOutcome = { ...OUTCOME, durationMs: 20 };
const none = { files: 0, bytes: 0, paths: [] };

describe('the outcome of a command', () => {
  it('the outcome of a command includes its file changes if they are known', () => {
    const deleted = { files: 2, bytes: 12_000_000, paths: ['a', 'b'] };
    const effects = { created: none, changed: none, deleted, complete: true };
    expect(formatOutcome({ ...outcome, effects }).text).toMatch(/ · −2 files, 12 MB gone$/);
  });

  it('the outcome of a command mentions no files if none changed or the changes are unknown', () => {
    const effects = { created: none, changed: none, deleted: none, complete: true };
    expect(formatOutcome({ ...outcome, effects }).text).toBe(formatOutcome(outcome).text);
    expect(formatOutcome(outcome).text).not.toContain('file');
  });
});
