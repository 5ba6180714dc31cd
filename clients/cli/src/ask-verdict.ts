import type { Verdict } from '@aish/contracts/decisions';
import type { Io } from '@aish/client/io';
import { QUIET_MS, VerdictLine, type Came } from '@aish/views/verdict-line';

const CTRL_C = '\u0003';

export interface Asking {
  /** The verdict, or that the person wants out. Never settles once `stop` was called. */
  readonly answer: Promise<Verdict | 'interrupted'>;
  /** Takes the question back. */
  readonly stop: () => void;
}

/** Asks at a terminal for one of the letters p, s and a, and says of everything else that it is no answer. */
export function askVerdict({ stdin, stderr, signal }: Io): Asking {
  stderr.write('    proceed / skip / abort? [p/s/a] ');
  const line = new VerdictLine(performance.now());
  let stop: () => void = () => undefined;
  const answer = new Promise<Verdict | 'interrupted'>((resolve) => {
    let settling: NodeJS.Timeout | undefined;
    const take = (came: Came): void => {
      if (came.type === 'verdict') return resolve(came.verdict);
      if (came.type === 'said') return void stderr.write(`\n    ${came.text} [p/s/a] `);
      const mine = setTimeout(() => {
        // Keys that came while this process was busy are taken first: timers are looked at before input.
        setImmediate(() => settling === mine && take(line.pause(performance.now())));
      }, QUIET_MS);
      settling = mine;
    };
    const onData = (chunk: Buffer | string): void => {
      const typed = String(chunk);
      if (typed.includes(CTRL_C)) return resolve('interrupted');
      clearTimeout(settling);
      settling = undefined;
      take(line.type(typed, performance.now()));
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
