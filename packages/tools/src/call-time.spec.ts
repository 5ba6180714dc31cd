import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import type { Elicitation } from '@aish/contracts/tools';
import { CallTime } from './call-time.js';

const question: Elicitation = { mode: 'form', message: 'Who?', requestedSchema: null, url: null };
const never = new AbortController().signal;

describe('the time of a call', () => {
  it('a call ends when its time is over', async () => {
    const time = new CallTime(30);
    await new Promise((resolve) => time.signal.addEventListener('abort', resolve, { once: true }));
    expect(time.signal.aborted).toBe(true);
  });

  it('the clock of a call stops while one or two questions are open, and restarts after the answers', async () => {
    const time = new CallTime(200);
    let answerFirst = (): void => undefined;
    const first = new Promise<void>((resolve) => (answerFirst = resolve));
    const options = time.around({
      elicit: async () => {
        await first;
        return { action: 'accept' };
      },
    });
    const ask = () => options?.elicit?.(question, never, false) ?? Promise.reject(new Error('nobody is asked'));
    const asked = [ask(), ask()];
    await sleep(600);
    expect(time.signal.aborted).toBe(false);
    answerFirst();
    expect(await Promise.all(asked)).toEqual([{ action: 'accept' }, { action: 'accept' }]);
    expect(time.signal.aborted).toBe(false);
    await new Promise((resolve) => time.signal.addEventListener('abort', resolve, { once: true }));
  });

  it('the clock of a call stays stopped after the call, even if a question is answered later', async () => {
    const time = new CallTime(30);
    let answer = (): void => undefined;
    const options = time.around({ elicit: () => new Promise((resolve) => (answer = () => resolve(null))) });
    const asked = options?.elicit?.(question, never, false);
    time.end();
    answer();
    await asked;
    await sleep(200);
    expect(time.signal.aborted).toBe(false);
  });

  it('options of a call without questions stay unchanged', () => {
    const time = new CallTime(30);
    const options = { onLog: () => undefined };
    expect(time.around(options)).toBe(options);
    expect(time.around(undefined)).toBeUndefined();
    time.end();
  });
});
