import type { Verdict } from '@aish/contracts/decisions';
import { QUIET_MS, TYPING_MS } from '../keys/lone-key.js';
import type { Io } from './io.js';

const KEYS: Readonly<Record<string, Verdict>> = { p: 'proceed', s: 'skip', a: 'abort' };
const CTRL_C = '\u0003';
/** What was typed before the question could be read is not an answer to it. */
const DEAF_MS = 400;
const HINT = '\n    no answer: a key counts when it stands alone [p/s/a] ';

export interface Asking {
  /** The verdict, or that the person wants out. Never settles once `stop` was called. */
  readonly answer: Promise<Verdict | 'interrupted'>;
  /** Takes the question back. */
  readonly stop: () => void;
}

/**
 * Waits for one of the keys p, s and a at a terminal; every other key, Enter too, does nothing. A key answers when it
 * stands alone: who is typing has not seen the question.
 */
export function askVerdict({ stdin, stderr, signal }: Io): Asking {
  const askedAt = performance.now();
  let stop: () => void = () => undefined;
  const answer = new Promise<Verdict | 'interrupted'>((resolve) => {
    let typedAt = -Infinity;
    let settling: NodeJS.Timeout | undefined;
    const afterQuiet = (work: () => void): void => {
      const mine = setTimeout(() => {
        // Keys that came while this process was busy are taken first: timers are looked at before input.
        setImmediate(() => settling === mine && work());
      }, QUIET_MS);
      settling = mine;
    };
    const onData = (chunk: Buffer | string): void => {
      const typed = String(chunk);
      if (typed.includes(CTRL_C)) resolve('interrupted');
      const now = performance.now();
      const isFirst = now - askedAt >= DEAF_MS && now - typedAt >= TYPING_MS;
      typedAt = now;
      clearTimeout(settling);
      settling = undefined;
      // More than one character at once is a paste, or typed ahead.
      const verdict = isFirst && typed.length === 1 ? KEYS[typed.toLowerCase()] : undefined;
      if (verdict !== undefined) afterQuiet(() => resolve(verdict));
      else if (typed.trim() !== '') afterQuiet(() => stderr.write(HINT));
    };
    const onAbort = (): void => resolve('interrupted');
    stop = () => {
      clearTimeout(settling);
      settling = undefined;
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
