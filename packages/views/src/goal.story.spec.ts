import { describe, expect, it } from '@jest/globals';
import { GoalDetail } from '@aish/contracts/goals';
import type { GoalSnapshotList } from '@aish/contracts/files';
import { goalStory, stepsStory } from './goal.story.js';
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

describe('the history of a goal that has ended', () => {
  it('the history offers undo only if earlier states are kept, and shows how far back undo goes', () => {
    expect(storyOf([takenBefore(2)])).toContain('to undo everything: aish undo g7');
    expect(storyOf([takenBefore(3)])).toContain('to undo the changes from step 3 on: aish undo g7');
    expect(storyOf([])).toContain('it cannot be undone');
    expect(storyOf([])).not.toContain('aish undo');
    expect(storyOf(null)).not.toContain('undo');
  });

  it('the history lists the evidence that was collected before a command, and shows how to read it', () => {
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

  it('the history shows messages and notices at their steps, and whether the model read a message', () => {
    const at = (minute: number) => AT.replace('00:00.000', `${String(minute).padStart(2, '0')}:00.000`);
    const [first, second] = goal.steps.map((step, n) => ({
      ...step,
      startedAt: at(10 * (n + 1)),
      notes: [`note ${n}`],
    }));
    const messages = [
      { by: 'ann', text: 'before all', at: at(1), readAt: at(10) },
      { by: null, text: '[aish] The disk is full.', at: at(12), readAt: null },
      { by: 'bob', text: 'not the NAS', at: at(15), readAt: at(20) },
      { by: 'bob', text: 'too late', at: at(25), readAt: null },
    ];
    const withMessages = { ...goal, steps: [first, second] as typeof goal.steps, messages };
    const story = markedLines(goalStory(withMessages, null, (moment) => moment.slice(14, 16)))
      .map(textOf)
      .join('\n');
    const order = [
      'before all  01, read 10',
      'step 1',
      'note 0',
      'The disk is full.',
      'bob to the model: not the NAS  15, read 20',
      'step 2',
      'note 1',
      'too late  25, not read',
    ];
    expect(order.map((text) => story.indexOf(text))).toEqual(
      order.map((text) => story.indexOf(text)).toSorted((a, b) => a - b),
    );
    expect(order.filter((text) => !story.includes(text))).toEqual([]);
    const one = markedLines(stepsStory(withMessages, (moment) => moment, [first as (typeof goal.steps)[number]]))
      .map(textOf)
      .join('\n');
    expect([one.includes('not the NAS'), one.includes('too late')]).toEqual([true, false]);
  });

  it('the history shows why changes of a command could not be held', () => {
    expect(storyOf(null).match(/not held: .*/g)).toEqual(['not held: the engine mounts no overlay']);
  });
});
