import type { Readable } from 'node:stream';
import { engineStatus } from './engine-error.js';

/** Returns the answer, or null if the engine refused with one of `statuses`. */
export async function unlessStatus<T>(statuses: readonly number[], answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (statuses.includes(engineStatus(error) ?? 0)) return null;
    throw error;
  }
}

/**
 * Returns a stream that ends without an error when `signal` aborts. We do not use docker-modem's `abortSignal`: if the
 * stream has just ended, it destroys the connection with an error that nobody can catch.
 */
export function untilAborted(answer: Promise<Readable>, signal: AbortSignal): Promise<Readable> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    const handOut = (stream: Readable) => {
      const destroy = () => stream.destroy();
      signal.removeEventListener('abort', giveUp);
      signal.addEventListener('abort', destroy, { once: true });
      stream.once('close', () => signal.removeEventListener('abort', destroy));
      if (signal.aborted) destroy();
      resolve(stream);
    };
    answer.then(handOut, reject);
  });
}
