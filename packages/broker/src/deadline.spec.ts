import { describe, expect, it } from '@jest/globals';
import { Deadline } from './deadline.js';

const LONG_MS = 60_000;
const never = new AbortController().signal;
const aborted = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve(signal.reason);
    else signal.addEventListener('abort', () => resolve(signal.reason), { once: true });
  });

describe('a deadline', () => {
  it.each([
    ['connect', 'did not take the connection within 20 ms'],
    ['idle', 'began its answer and then was silent for 20 ms'],
  ] as const)('says which of the shorter timeouts ended it: %s', async (timeout, words) => {
    const deadline = new Deadline(never, LONG_MS);
    deadline.start(timeout, 20);
    expect(await aborted(deadline.signal)).toMatchObject({
      code: 'model_timeout',
      message: expect.stringContaining(words),
      facts: { timeout, afterMs: 20 },
    });
    deadline.close();
  });

  it('ends with its total, and keeps the first reason', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, 20);
    expect(await aborted(deadline.signal)).toMatchObject({ facts: { timeout: 'total' } });
    caller.abort();
    deadline.close();
    expect(deadline.signal.reason).toMatchObject({ facts: { timeout: 'total' } });
  });

  it('ends with its caller, also with one who has left before', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, LONG_MS);
    caller.abort(new Error('the reason of the caller'));
    expect(deadline.signal.reason).toMatchObject({ code: 'aborted' });
    const late = new Deadline(caller.signal, LONG_MS);
    expect(late.signal.reason).toMatchObject({ code: 'aborted' });
    deadline.close();
    late.close();
  });

  it('is not ended by a timeout that was stopped', async () => {
    const deadline = new Deadline(never, LONG_MS);
    deadline.start('idle', 10).stop();
    await deadline.pause(40);
    expect(deadline.signal.aborted).toBe(false);
    deadline.close();
  });

  it('cuts a pause short with its reason', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, LONG_MS);
    const pause = deadline.pause(LONG_MS);
    caller.abort();
    await expect(pause).rejects.toMatchObject({ code: 'aborted' });
    await expect(deadline.pause(1)).rejects.toMatchObject({ code: 'aborted' });
    deadline.close();
  });

  it('takes a time that no timer can hold for a very long one', async () => {
    const deadline = new Deadline(never, Number.MAX_SAFE_INTEGER);
    await deadline.pause(20);
    expect(deadline.signal.aborted).toBe(false);
    deadline.close();
  });

  it('is over when it is closed, and listens to its caller no longer', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, LONG_MS);
    deadline.close();
    expect(deadline.signal.reason).toMatchObject({ code: 'aborted', message: 'The exchange is over' });
    caller.abort();
    expect(deadline.signal.reason).toMatchObject({ message: 'The exchange is over' });
  });
});
