import { describe, expect, it } from '@jest/globals';
import { approve, type Approval, type ApprovalState } from './approvals.js';
import { isOpen, nextOpening, type ChangeWindow } from './change-windows.js';

const PEOPLE = ['a', 'b', 'c'];
const WORDS = PEOPLE.flatMap((by) =>
  [true, false].map((inWindow): Approval => ({
    by,
    at: new Date(0).toISOString(),
    version: 'v',
    inWindow,
    carried: false,
  })),
);

/** Whether the action runs after these approvals. Only the newest approval of each person counts. */
function runs(approvals: readonly Approval[], needed: number, author: string | null, open: boolean | null): boolean {
  const newest = PEOPLE.flatMap((by) => approvals.findLast((each) => each.by === by) ?? []);
  const counted = newest.filter(({ by }) => by !== author);
  const now = counted.filter(({ inWindow }) => !inWindow).length;
  return now >= needed || (open === true && counted.length >= needed);
}

describe('every order of up to three approvals', () => {
  const cases = [1, 2, 3].flatMap((needed) =>
    [null, 'a'].flatMap((author) => [null, true, false].map((open) => ({ needed, author, open }))),
  );

  it.each(cases)(
    'an action runs once enough people have approved it (needed: $needed, author: $author, window open: $open)',
    (of) => {
      const { needed, author, open } = of;
      const play = (approvals: readonly Approval[], given: readonly Approval[]): void => {
        for (const word of WORDS) {
          const state: ApprovalState = {
            needed,
            given: [...given],
            author,
            isOpen: open,
            opensAt: null,
            waitsUntil: null,
          };
          const came = approve(state, word);
          if (came.kind === 'refused') {
            // An approval is ignored if its author may not approve, if there is no window, or if it repeats an earlier
            // one.
            const isSaid = given.some(({ by, inWindow }) => by === word.by && inWindow === word.inWindow);
            expect([word.by === author, word.inWindow && open === null, isSaid]).toContain(true);
            continue;
          }
          expect(word.by).not.toBe(author);
          expect(came.kind === 'runs').toBe(runs([...approvals, word], needed, author, open));
          if (came.kind === 'waits' && approvals.length < 2) play([...approvals, word], came.approvals);
        }
      };
      play([], []);
    },
  );
});

describe('all change windows of a day, by the hour', () => {
  const HOUR_MS = 3_600_000;
  /** Midnight on a Monday. */
  const MONDAY = Date.UTC(2024, 0, 1);
  const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
  const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

  it('isOpen and nextOpening agree with an hour-by-hour count', () => {
    const hours = [0, 1, 9, 22, 23];
    for (const day of [0, 3, 6]) {
      for (const [from, to] of hours.flatMap((one) => hours.map((other) => [one, other] as const))) {
        const window: ChangeWindow = { days: [DAYS[day] ?? 'mon'], from: clock(from), to: clock(to), timezone: 'UTC' };
        const length = to > from ? to - from : to - from + 24;
        const isOpenAt = (hour: number): boolean => (hour - day * 24 - from + 168) % 168 < length;
        for (let hour = 0; hour < 168; hour += 1) {
          const at = new Date(MONDAY + hour * HOUR_MS);
          let next = hour;
          while (!isOpenAt(next)) next += 1;
          expect(isOpen([window], at)).toBe(isOpenAt(hour));
          // `nextOpening` searches the last hours minute by minute, so it is called only once a day.
          if (hour % 24 === 12) expect(nextOpening([window], at)).toEqual(new Date(MONDAY + next * HOUR_MS));
        }
      }
    }
  });
});
