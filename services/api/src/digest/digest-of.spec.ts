import { describe, expect, it } from '@jest/globals';
import { digestOf } from './digest-of.js';

const [from, to] = [new Date('2026-11-16T07:00:00Z'), new Date('2026-11-23T07:00:00Z')];
const effects = {
  created: { files: 1, bytes: 2 },
  changed: { files: 0, bytes: 0 },
  deleted: { files: 0, bytes: 0 },
  undone: 0,
};
const goal = (number: number, state: string, verified = false) => ({ number, text: `goal ${number}`, state, verified });
const halt = (number: number, verdict: 'proceed' | 'skip' | null, waitedMs: number | null, more = {}) => ({
  number,
  goal: 4,
  action: 'rm x',
  state: verdict === null ? 'pending' : 'decided',
  verdict,
  wasAsked: true,
  wasSettled: verdict !== null,
  waitedMs,
  ...more,
});

describe('the digest of a period', () => {
  it('sorts goals by how they ended; those that run or are queued wait for nobody', () => {
    const states = ['done', 'failed', 'blocked', 'stalled', 'exhausted', 'aborted', 'halted', 'paused', 'waiting'];
    const goals = [goal(20, 'done', true), ...states.map((state, n) => goal(n, state)), goal(30, 'running')];
    const { goals: sorted } = digestOf({ goals, halts: [], effects, hosts: [], models: [] }, from, to);
    const numbers = Object.entries(sorted).map(([how, { named }]) => [how, named.map(({ number }) => number)]);
    expect(Object.fromEntries(numbers)).toEqual({
      verified: [20],
      done: [0],
      failed: [1, 2, 3, 4],
      aborted: [5],
      waiting: [6, 7, 8],
    });
  });

  it('counts verdicts of the period alone, and names what is open from before', () => {
    const halts = [
      halt(9, 'proceed', 1_000),
      halt(8, 'skip', 9_000),
      halt(7, 'proceed', 3_000, { wasAsked: false }),
      halt(6, 'proceed', 99, { wasSettled: false }),
      halt(5, null, 5_000, { state: 'withdrawn', wasSettled: true }),
      halt(1, null, null, { wasAsked: false }),
    ];
    expect(digestOf({ goals: [], halts, effects, hosts: [], models: [] }, from, to).halts).toEqual({
      asked: 4,
      answered: { proceed: 2, skip: 1 },
      withdrawn: 1,
      medianMs: 3_000,
      open: { count: 1, named: [{ number: 1, goal: 4, action: 'rm x' }] },
    });
  });

  it('takes the middle of an even number of verdicts', () => {
    const halts = [halt(1, 'skip', 1_000), halt(2, 'skip', 2_000)];
    expect(digestOf({ goals: [], halts, effects, hosts: [], models: [] }, from, to).halts.medianMs).toBe(1_500);
  });

  it('joins what goals and chats did on a host, and adds up energy where servers told', () => {
    const hosts = [
      { host: 'nas', goal: 4, commands: 2, refused: 1 },
      { host: 'nas', goal: null, commands: 3, refused: 0 },
      { host: 'pi', goal: 9, commands: 9, refused: 0 },
    ];
    const models = [
      { preset: 'big', read: 1, written: 2, energyJ: 5 },
      { preset: 'fast', read: 3, written: 4, energyJ: null },
    ];
    const made = digestOf({ goals: [], halts: [], effects, hosts, models }, from, to);
    expect(made.hosts).toEqual({
      count: 2,
      named: [
        { host: 'pi', commands: 9, refused: 0, goals: [9] },
        { host: 'nas', commands: 5, refused: 1, goals: [4] },
      ],
    });
    expect([made.tokens, made.energyJ]).toEqual([
      [
        { preset: 'big', read: 1, written: 2 },
        { preset: 'fast', read: 3, written: 4 },
      ],
      5,
    ]);
  });

  it('counts all and names some', () => {
    const goals = Array.from({ length: 50 }, (_, n) => goal(n, 'done'));
    const { done } = digestOf({ goals, halts: [], effects, hosts: [], models: [] }, from, to).goals;
    expect([done.count, done.named.length]).toEqual([50, 20]);
  });
});
