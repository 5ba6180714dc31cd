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
    ['connect', 'did not accept the connection within 20 ms'],
    ['idle', 'began its answer and then was silent for 20 ms'],
  ] as const)('the error says which of the shorter timeouts ended the deadline: %s', async (timeout, words) => {
    const deadline = new Deadline(never, LONG_MS);
    deadline.start(timeout, 20);
    expect(await aborted(deadline.signal)).toMatchObject({
      code: 'model_timeout',
      message: expect.stringContaining(words),
      facts: { timeout, afterMs: 20 },
    });
    deadline.close();
  });

  it('the total timeout ends the deadline, and the first reason is kept', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, 20);
    expect(await aborted(deadline.signal)).toMatchObject({ facts: { timeout: 'total' } });
    caller.abort();
    deadline.close();
    expect(deadline.signal.reason).toMatchObject({ facts: { timeout: 'total' } });
  });

  it('the abort of the caller ends the deadline, even if it came first', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, LONG_MS);
    caller.abort(new Error('the reason of the caller'));
    expect(deadline.signal.reason).toMatchObject({ code: 'aborted' });
    const late = new Deadline(caller.signal, LONG_MS);
    expect(late.signal.reason).toMatchObject({ code: 'aborted' });
    deadline.close();
    late.close();
  });

  it('a stopped timeout does not end the deadline', async () => {
    const deadline = new Deadline(never, LONG_MS);
    deadline.start('idle', 10).stop();
    await deadline.pause(40);
    expect(deadline.signal.aborted).toBe(false);
    deadline.close();
  });

  it('the deadline interrupts a pause and passes on its reason', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, LONG_MS);
    const pause = deadline.pause(LONG_MS);
    caller.abort();
    await expect(pause).rejects.toMatchObject({ code: 'aborted' });
    await expect(deadline.pause(1)).rejects.toMatchObject({ code: 'aborted' });
    deadline.close();
  });

  it('a timeout that is too long for a timer does not fire immediately', async () => {
    const deadline = new Deadline(never, Number.MAX_SAFE_INTEGER);
    await deadline.pause(20);
    expect(deadline.signal.aborted).toBe(false);
    deadline.close();
  });

  it('a closed deadline is aborted and ignores its caller', async () => {
    const caller = new AbortController();
    const deadline = new Deadline(caller.signal, LONG_MS);
    deadline.close();
    expect(deadline.signal.reason).toMatchObject({ code: 'aborted', message: 'The exchange is over' });
    caller.abort();
    expect(deadline.signal.reason).toMatchObject({ message: 'The exchange is over' });
  });
});
