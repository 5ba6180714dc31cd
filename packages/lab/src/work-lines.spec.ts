import { describe, expect, it } from '@jest/globals';
import { workLines } from './work-lines.js';

const SINCE = new Date('2026-05-29T07:00:00Z');
const none = { waiting: { count: 0, named: [] }, ended: [] };

describe('goals and decisions in a brief', () => {
  it('the brief has two lines about goals and decisions, which name the newest and count the others', () => {
    const waiting = { count: 7, named: [{ number: 41, goal: 9 }, { number: 40, goal: null }] }; // prettier-ignore
    const ended = [
      { state: 'done', count: 2, named: [8, 7] },
      { state: 'failed', count: 1, named: [6] },
    ];
    expect(workLines({ waiting, ended }, SINCE)).toEqual([
      '7 decisions are waiting for your verdict: d41 of g9, d40, and 5 more.',
      'Goals that ended since 2026-05-29 07:00 UTC: 2 done (g8, g7), 1 failed (g6).',
    ]);
  });

  it('a brief has no line about goals and decisions if nothing waits and nothing ended', () => {
    expect(workLines(none, SINCE)).toEqual([]);
  });
});
