import { describe, expect, it } from '@jest/globals';
import { ModelSlots } from './model-slots.js';

const never = new AbortController().signal;

/** Returns work that runs until the test ends it. */
function open(): { readonly done: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined;
  const done = new Promise<void>((resolve) => (end = resolve));
  return { done, end: () => end() };
}

describe('ModelSlots', () => {
  it('ModelSlots limits the requests to one endpoint, in order, and does not delay other endpoints', async () => {
    const slots = new ModelSlots(2);
    const order: string[] = [];
    const work = ['a', 'b', 'c', 'd'].map((name) => ({ name, ...open() }));
    const asked = work.map(({ name, done }) =>
      slots.use('one', never, () => {
        order.push(name);
        return done;
      }),
    );
    await slots.use('two', never, () => Promise.resolve(order.push('other')));
    expect(order).toEqual(['a', 'b', 'other']);
    work[1]?.end();
    await asked[1];
    expect(order).toEqual(['a', 'b', 'other', 'c']);
    for (const { end } of work) end();
    await Promise.all(asked);
    expect(order.at(-1)).toBe('d');
  });

  it('ModelSlots drops an aborted request from the queue, and frees the slot of a failed request', async () => {
    const slots = new ModelSlots(1);
    const first = open();
    const asking = slots.use('one', never, () => first.done);
    const leaving = new AbortController();
    const left = slots.use('one', leaving.signal, () => Promise.resolve());
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: 'aborted' });
    first.end();
    await asking;
    await expect(slots.use('one', never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(slots.use('one', never, () => Promise.resolve('free'))).resolves.toBe('free');
  });
});
