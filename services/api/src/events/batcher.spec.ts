import { describe, expect, it } from '@jest/globals';
import { Batcher } from './batcher.js';

describe('Batcher', () => {
  /** Creates a handler whose groups wait until the test releases them. */
  function held() {
    const groups: (readonly number[])[] = [];
    const gates: ((error?: Error) => void)[] = [];
    const together = new Batcher<number, number>((items) => {
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

  it('items that arrive while the Batcher handles a group form the next groups, in order and up to the limit', async () => {
    const { together, groups, letGo } = held();
    const results = Promise.all([1, 2, 3, 4, 5].map((item) => together.add(item)));
    expect(groups).toEqual([[1]]);
    await letGo();
    await letGo();
    expect(groups).toEqual([[1], [2, 3, 4], [5]]);
    await letGo();
    expect(await results).toEqual([2, 4, 6, 8, 10]);
  });

  it('if a group fails, the Batcher fails all of its items and still handles later groups', async () => {
    const { together, letGo } = held();
    const ends = Promise.allSettled([1, 2, 3].map((item) => together.add(item)));
    await letGo();
    await letGo(new Error('gone'));
    const later = together.add(4);
    await letGo();
    expect((await ends).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(await later).toBe(8);
  });

  it('the Batcher is full while 5,000 items wait', async () => {
    const { together, letGo } = held();
    const all = Array.from({ length: 5_001 }, (_, item) => together.add(item));
    // The first item is already being handled.
    expect(together.isFull).toBe(true);
    await letGo();
    expect(together.isFull).toBe(false);
    for (let n = 0; n < 1_700; n += 1) await letGo();
    expect((await Promise.all(all)).length).toBe(5_001);
  });
});
