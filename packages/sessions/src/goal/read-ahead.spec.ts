import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ReadAhead } from './read-ahead.js';

const never = new AbortController().signal;

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 800 && !isTrue(); i += 1) await sleep(5);
  expect(isTrue()).toBe(true);
}

/** Returns a reader for a model that is busy until its `idleAt`th question. */
function readerOf(idleAt: number, forMs?: number) {
  const errors: unknown[] = [];
  const asked = { count: 0 };
  const ahead = new ReadAhead((error) => errors.push(error), 5, forMs);
  const read = async (): Promise<boolean> => (asked.count += 1) >= idleAt;
  return { ahead, asked, errors, read };
}

describe('ReadAhead', () => {
  it('ReadAhead retries until the model is idle, and then lets it read the next question once', async () => {
    const { ahead, asked, read } = readerOf(3);
    ahead.begin('g', read, never);
    await until(() => asked.count === 3);
    await sleep(60);
    expect(asked.count).toBe(3);
  });

  it.each([
    ['the person has answered', (ahead: ReadAhead) => ahead.end('g'), undefined],
    ['the worker ends', (_: ReadAhead, worker: AbortController) => worker.abort(), undefined],
    ['the person takes long', () => undefined, 100],
  ])('reading ahead stops when %s', async (_, happens, forMs) => {
    const { ahead, asked, errors, read } = readerOf(Infinity, forMs);
    const worker = new AbortController();
    ahead.begin('g', read, worker.signal);
    await until(() => asked.count > 1);
    happens(ahead, worker);
    await sleep(forMs ?? 0);
    await sleep(100);
    const { count } = asked;
    await sleep(60);
    expect([asked.count, errors]).toEqual([count, []]);
  });

  it('an error while reading ahead is reported and not thrown', async () => {
    const { ahead, errors } = readerOf(1);
    ahead.begin('g', () => Promise.reject(new Error('broken')), never);
    await until(() => errors.length === 1);
    expect(errors).toMatchObject([{ message: 'broken' }]);
  });
});
