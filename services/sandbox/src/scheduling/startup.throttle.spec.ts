import { describe, expect, it } from '@jest/globals';
import { StartupThrottle } from './startup.throttle.js';

/** Whether a promise has been settled by the time that everything else had its turn. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  return Promise.race([promise.then(() => true), new Promise<false>((resolve) => setImmediate(() => resolve(false)))]);
}

describe('StartupThrottle', () => {
  it('is there at once when no command begins', async () => {
    expect(await isSettled(new StartupThrottle().come())).toBe(true);
  });

  it('comes when the last of the commands that began is over', async () => {
    const throttle = new StartupThrottle();
    const [first, second] = [throttle.disturb(), throttle.disturb()];
    const come = throttle.come();
    first.over();
    first.over();
    expect(await isSettled(come)).toBe(false);
    second.over();
    expect(await isSettled(come)).toBe(true);
  });

  it('comes while a command runs on, once that is not young any more', async () => {
    const throttle = new StartupThrottle();
    const command = throttle.disturb();
    const come = throttle.come();
    expect(await isSettled(come)).toBe(false);
    command.begun();
    await come;
    command.over();
    expect(await isSettled(throttle.come())).toBe(true);
  });

  it('comes although a container is not started for long', async () => {
    const throttle = new StartupThrottle();
    throttle.disturb();
    const come = throttle.come();
    expect(await isSettled(come)).toBe(false);
    await expect(come).resolves.toBeUndefined();
  });
});
