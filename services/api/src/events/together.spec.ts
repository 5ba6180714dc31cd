import { describe, expect, it } from '@jest/globals';
import { Together } from './together.js';

describe('items that are handled together', () => {
  /** Each group waits until it is let go. */
  function held() {
    const groups: (readonly number[])[] = [];
    const gates: ((error?: Error) => void)[] = [];
    const together = new Together<number, number>((items) => {
      groups.push(items);
      return new Promise((done, failed) => {
        gates.push((error) => (error === undefined ? done(items.map((item) => item * 2)) : failed(error)));
      });
    }, 3);
    const letGo = async (error?: Error): Promise<void> => {
      gates.shift()?.(error);
      await new Promise(setImmediate);
    };
    return { together, groups, letGo };
  }

  it('are those that come while others are handled, in order, at most so many, one group at a time', async () => {
    const { together, groups, letGo } = held();
    const results = Promise.all([1, 2, 3, 4, 5].map((item) => together.add(item)));
    expect(groups).toEqual([[1]]);
    await letGo();
    await letGo();
    expect(groups).toEqual([[1], [2, 3, 4], [5]]);
    await letGo();
    expect(await results).toEqual([2, 4, 6, 8, 10]);
  });

  it('fail as a group, and those after them do not', async () => {
    const { together, letGo } = held();
    const ends = Promise.allSettled([1, 2, 3].map((item) => together.add(item)));
    await letGo();
    await letGo(new Error('gone'));
    const later = together.add(4);
    await letGo();
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await later).toBe(8);
  });

  it('are bounded: more than 5,000 that wait are too many', async () => {
    const { together, letGo } = held();
    const all = Array.from({ length: 5_001 }, (_, item) => together.add(item));
    // The first is under way.
    expect(together.isFull).toBe(true);
    await letGo();
    expect(together.isFull).toBe(false);
    for (let n = 0; n < 1_700; n += 1) await letGo();
    expect((await Promise.all(all)).length).toBe(5_001);
  });
});
