import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

const never = new AbortController().signal;

describe('Slots', () => {
  it('lets the first in, makes the next wait in order and refuses the rest', async () => {
    const slots = new Slots(1, 2);
    const order: string[] = [];
    const take = (name: string) => slots.take(never).then((give) => (order.push(name), give));
    const first = await take('a');
    const second = take('b');
    const third = take('c');
    await expect(take('d')).rejects.toMatchObject({ code: 'too_many', facts: { retryAfterS: 2 } });
    first?.();
    first?.();
    (await second)?.();
    (await third)?.();
    expect(order).toEqual(['a', 'b', 'c']);
    expect(slots.running).toBe(0);
  });

  it('lets one that waits give up, and gives its place to the next', async () => {
    const slots = new Slots(1, 1);
    const first = await slots.take(never);
    const gone = new AbortController();
    const second = slots.take(gone.signal);
    gone.abort();
    expect(await second).toBeNull();
    const third = slots.take(never);
    first?.();
    expect(await third).toBeInstanceOf(Function);
    expect(await slots.take(gone.signal)).toBeNull();
  });

  it('counts runs taken over, also past the limit', async () => {
    const slots = new Slots(1, 1);
    const one = slots.takeOver();
    const two = slots.takeOver();
    const next = slots.take(never);
    one();
    expect(slots.running).toBe(1);
    two();
    (await next)?.();
    expect(slots.running).toBe(0);
  });
});
