import { describe, expect, it } from '@jest/globals';
import { StartupThrottle } from './startup.throttle.js';

/** Returns whether a promise has settled after everything else had its turn. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);
}

describe('StartupThrottle', () => {
  it('background work runs at once if no command is starting', async () => {
    expect(await isSettled(new StartupThrottle().come())).toBe(true);
  });

  it('background work waits until the last starting command has ended', async () => {
    const throttle = new StartupThrottle();
    const [first, second] = [throttle.disturb(), throttle.disturb()];
    const come = throttle.come();
    first.over();
    first.over();
    expect(await isSettled(come)).toBe(false);
    second.over();
    expect(await isSettled(come)).toBe(true);
  });

  it('background work runs while a command runs that began a moment ago', async () => {
    const throttle = new StartupThrottle();
    const command = throttle.disturb();
    const come = throttle.come();
    expect(await isSettled(come)).toBe(false);
    command.begun();
    await come;
    command.over();
    expect(await isSettled(throttle.come())).toBe(true);
  });

  it('background work runs even if a container takes a long time to start', async () => {
    const throttle = new StartupThrottle();
    throttle.disturb();
    const come = throttle.come();
    expect(await isSettled(come)).toBe(false);
    await expect(come).resolves.toBeUndefined();
  });
});
