import { describe, expect, it } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import { formatOutcome } from './goal.format.js';

const outcome: RunOutcome = {
  exitCode: 0,
  signal: null,
  outOfMemory: false,
  timedOut: false,
  cancelled: false,
  durationMs: 20,
  output: '',
  omittedBytes: 0,
};
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
