import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ActionRequest } from '@aish/contracts/actions';
import { NOT_RUN, RECENT_MAX, digest, addRecent, countRepeats, type RecentAction } from './repeats.js';

const ls: ActionRequest = { kind: 'command', command: 'ls' };
const after = (...answers: readonly string[]): readonly RecentAction[] =>
  answers.reduce<readonly RecentAction[]>((recent, answer) => addRecent(recent, ls, answer), []);

describe('repetitions of an action', () => {
  it.each<[string, readonly string[], number]>([
    ['never run', [], 0],
    ['run with the same result each time', ['a', 'a', 'a'], 3],
    ['run with another result each time, like a polled status', ['1', '2', '3', '4'], 1],
    ['run with the same result many times and then with another one', ['a', 'a', 'a', 'a', 'b'], 1],
    ['run with an earlier result again', ['a', 'b', 'a'], 2],
    ['lost each time', ['lost', 'lost'], 2],
    ['refused by a person', ['a', 'a', 'a', 'a', NOT_RUN], 5],
    ['impossible to run', [NOT_RUN, NOT_RUN], 2],
  ])('countRepeats counts repetitions of an action that was %s', (_, answers, times) => {
    expect(countRepeats(after(...answers), ls)).toBe(times);
  });

  it('only identical actions count as repetitions, even with other actions in between', () => {
    const other: ActionRequest = { kind: 'command', command: 'make' };
    const recent = ['x', 'y', 'z'].reduce((all, answer) => addRecent(addRecent(all, other, answer), ls, 'a'), after());
    expect([countRepeats(recent, ls), countRepeats(recent, other)]).toEqual([3, 1]);
  });

  it('a tool call is identified by its label and its arguments', () => {
    const call = (args: string): ActionRequest => ({
      kind: 'tool',
      callId: 'c',
      tool: 'a__b',
      label: 'a.b',
      arguments: args,
    });
    const recent = addRecent(addRecent([], call('{"n":1}'), 'x'), call('{"n":2}'), 'x');
    expect([countRepeats(recent, call('{"n":1}')), countRepeats(recent, call('{"n":3}'))]).toEqual([1, 0]);
  });

  it('actions with a long pause between them do not count as repetitions', () => {
    const minute = 60_000;
    const every = (gapMs: number) =>
      Array.from({ length: 8 }).reduce<readonly RecentAction[]>(
        (recent, _, n) => addRecent(recent, ls, 'same', { from: n * (gapMs + 5_000), to: n * (gapMs + 5_000) + 5_000 }),
        [],
      );
    const last = (recent: readonly RecentAction[]) => recent.at(-1)?.when?.to ?? 0;
    const polled = every(minute);
    expect([countRepeats(polled, ls), countRepeats(polled, ls, last(polled) + minute)]).toEqual([1, 0]);
    expect(countRepeats(polled, ls, last(polled) + 1_000)).toBe(1);
    // The duration of a slow command is not a pause.
    const slow = after().concat(
      Array.from({ length: 4 }, (_, n) => ({
        what: 'ls',
        answer: 'a',
        when: { from: n * minute, to: n * minute + 59_000 },
      })),
    );
    expect(countRepeats(slow, ls)).toBe(4);
  });

  it('only a limited number of earlier actions is compared', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', NOT_RUN), { maxLength: 60 }), (answers) => {
        const recent = after(...answers);
        expect(recent.length).toBeLessThanOrEqual(RECENT_MAX);
        expect(countRepeats(recent, ls)).toBeLessThanOrEqual(recent.length);
        if (answers.length > 0) expect(countRepeats(recent, ls)).toBeGreaterThan(0);
      }),
    );
  });

  it('different results have different short digests', () => {
    const texts = Array.from({ length: 2_000 }, (_, n) => `0 result ${n}`);
    expect(new Set(texts.map(digest)).size).toBe(texts.length);
    expect(digest('a'.repeat(100_000)).length).toBeLessThan(32);
  });
});
