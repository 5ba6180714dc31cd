import { describe, expect, it } from '@jest/globals';
import { Slots } from './slots.js';

const never = new AbortController().signal;

describe('Slots', () => {
  it('Slots admits the first callers, queues the next ones in order and refuses the rest', async () => {
    const slots = new Slots(1, 2);
    const order: string[] = [];
    const take = (name: string) => slots.take(never).then((give) => (order.push(name), give));
    const first = await take('a');
    const second = take('b');
    const third = take('c');
    expect(slots.isCrowded).toBe(true);
    await expect(take('d')).rejects.toMatchObject({ code: 'too_many', facts: { retryAfterS: 2 } });
    first?.();
    first?.();
    (await second)?.();
    (await third)?.();
    expect(order).toEqual(['a', 'b', 'c']);
    expect([slots.running, slots.isCrowded]).toEqual([0, false]);
  });

  it('a caller that gives up waiting for a slot leaves its place to the next', async () => {
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

  it('Slots admits people before background work, each kind in order of arrival', async () => {
    const slots = new Slots(1, 4);
    const order: string[] = [];
    const first = await slots.take(never);
    const waiting = [
      ['goal 1', true],
      ['person 1', false],
      ['goal 2', true],
      ['person 2', false],
    ] as const;
    const all = waiting.map(async ([name, background]) => {
      const give = await slots.take(never, background);
      order.push(name);
      give?.();
    });
    first?.();
    await Promise.all(all);
    expect(order).toEqual(['person 1', 'person 2', 'goal 1', 'goal 2']);
  });

  it('Slots refuses a person only because of other people, never because of waiting goals', async () => {
    const slots = new Slots(1, 1);
    const first = await slots.take(never);
    const goal = slots.take(never, true);
    await expect(slots.take(never, true)).rejects.toMatchObject({ code: 'too_many' });
    const person = slots.take(never);
    await expect(slots.take(never)).rejects.toMatchObject({ code: 'too_many' });
    first?.();
    (await person)?.();
    (await goal)?.();
    expect(slots.running).toBe(0);
  });

  it('Slots counts runs that were taken over, even above the limit', async () => {
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
