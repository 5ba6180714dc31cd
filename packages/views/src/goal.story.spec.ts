import { describe, expect, it } from '@jest/globals';
import { GoalDetail } from '@aish/contracts/goals';
import type { GoalSnapshotList } from '@aish/contracts/files';
import { goalStory } from './goal.story.js';
import { textOf } from './line.js';
import { markedLines } from './marked.lines.js';

const ID = '00000000-0000-4000-8000-000000000001';
const AT = '2026-11-25T00:00:00.000Z';
const none = { files: 0, bytes: 0, paths: [] };
const effects = { created: none, changed: { files: 1, bytes: 9, paths: ['old'] }, deleted: none, complete: true };
const outcome = {
  exitCode: 0, signal: null, outOfMemory: false, timedOut: false, cancelled: false, durationMs: 5, output: '', omittedBytes: 0,
}; // prettier-ignore
const action = (stepNumber: number, more: object) => ({
  id: ID, stepNumber, n: 1, kind: 'command', command: 'echo x > old', state: 'finished', classification: null,
  result: null, startedAt: AT, endedAt: AT, outcome: { ...outcome, ...more },
}); // prettier-ignore
const goal = GoalDetail.parse({
  id: ID, number: 7, sessionId: ID, text: 'do it', preset: 'fast', state: 'done', reason: null, waitingFor: null, wakeAt: null,
  stepBudget: 4, stepsTaken: 2, priority: 'normal', verify: null, verified: false, checksFailed: 0, tokenBudget: null,
  tokensUsed: 0, timeBudgetMs: null, activeMs: 5, haltExpiry: null, scheduleId: null, summary: null, createdAt: AT,
  updatedAt: AT, endedAt: AT, decisions: [], grants: [], effects,
  steps: [1, 2].map((n) => ({ n, text: 'go', model: 'm', usage: null, notes: [], startedAt: AT, answeredAt: AT })),
  actions: [action(1, { unheld: 'the engine mounts no overlay' }), action(2, { effects })],
}); // prettier-ignore

const storyOf = (undoable: GoalSnapshotList['items'] | null) =>
  markedLines(goalStory(goal, undoable)).map(textOf).join('\n');
const takenBefore = (stepNumber: number) => ({
  actionId: ID,
  sizeBytes: 1,
  createdAt: AT,
  stepNumber,
  command: 'echo x > old',
});

describe('the story of a goal that has ended', () => {
  it('offers undo only where something of before is kept, and says how far back that goes', () => {
    expect(storyOf([takenBefore(2)])).toContain('to take it all back: aish undo g7');
    expect(storyOf([takenBefore(3)])).toContain('to take what was done from step 3 on back: aish undo g7');
    expect(storyOf([])).toContain('it cannot be taken back');
    expect(storyOf([])).not.toContain('aish undo');
    expect(storyOf(null)).not.toContain('undo');
  });

  it('names what was read on a host before a command ended something there, and how to read it', () => {
    const read = { id: ID, actionId: ID, host: 'nas', command: 'docker restart web', chars: 9, at: AT };
    const evidence = [
      { ...read, subjects: ['container web'], failed: null },
      { ...read, subjects: ['unit a', 'the host'], failed: 'it did not\nanswer' },
    ];
    const lines = markedLines(goalStory({ ...goal, evidence }, null))
      .map(textOf)
      .join('\n');
    expect(lines).toContain('evidence before 1.1: container web on nas\n');
    expect(lines).toContain('evidence before 1.1: unit a, the host on nas (incomplete: it did not answer)');
    expect(lines).toContain('to read it: aish show g7 --evidence');
    expect(storyOf(null)).not.toContain('evidence');
  });

  it('says of each command whose changes nobody could hold why that was', () => {
    expect(storyOf(null).match(/not held: .*/g)).toEqual(['not held: the engine mounts no overlay']);
  });
});
