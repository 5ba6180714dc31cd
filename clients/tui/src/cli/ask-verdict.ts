import type { Verdict } from '@aish/contracts';
import type { Io } from './io.js';

const KEYS: Readonly<Record<string, Verdict>> = { p: 'proceed', s: 'skip', a: 'abort' };
const CTRL_C = '\u0003';
/** What was typed before the question could be read is not an answer to it. */
const DEAF_MS = 400;

export interface Asking {
  /** The verdict, or that the person wants out. Never settles once `stop` was called. */
  readonly answer: Promise<Verdict | 'interrupted'>;
  /** Takes the question back. */
  readonly stop: () => void;
}

/** Waits for one of the keys p, s and a at a terminal; every other key, Enter too, does nothing. */
export function askVerdict({ stdin, signal }: Io): Asking {
  const askedAt = performance.now();
  let stop: () => void = () => undefined;
  const answer = new Promise<Verdict | 'interrupted'>((resolve) => {
    const onData = (chunk: Buffer | string): void => {
      const typed = String(chunk);
      if (typed.includes(CTRL_C)) resolve('interrupted');
      // More than one character at once is a paste, or typed ahead.
      const verdict = typed.length === 1 ? KEYS[typed.toLowerCase()] : undefined;
      if (verdict !== undefined && performance.now() - askedAt >= DEAF_MS) resolve(verdict);
    };
    const onAbort = (): void => resolve('interrupted');
    stop = () => {
      stdin.off('data', onData);
      signal.removeEventListener('abort', onAbort);
      stdin.setRawMode?.(false);
      stdin.pause();
    };
    stdin.setRawMode?.(true);
    stdin.on('data', onData);
    stdin.resume();
    signal.addEventListener('abort', onAbort, { once: true });
  });
  return { answer, stop: () => stop() };
}
