import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { keepTimeoutsAlive } from './lasting-timeouts.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('keepTimeoutsAlive', () => {
  it('a timeout that is part of another signal fires even after a garbage collection', async () => {
    const original = Object.getOwnPropertyDescriptor(AbortSignal, 'timeout') ?? {};
    try {
      keepTimeoutsAlive();
      const caller = new AbortController();
      const signals = [
        AbortSignal.any([caller.signal, AbortSignal.timeout(200)]),
        AbortSignal.any([caller.signal, AbortSignal.any([caller.signal, AbortSignal.timeout(200)])]),
        AbortSignal.timeout(200),
      ];
      await sleep(20);
      collect();
      await sleep(20);
      collect();
      await sleep(600);
      expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
      expect(signals.map(({ reason }) => (reason as Error).name)).toEqual(Array(3).fill('TimeoutError'));
    } finally {
      Object.defineProperty(AbortSignal, 'timeout', original);
    }
  });
});
