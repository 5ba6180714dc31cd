import type { Verdict } from '@aish/contracts/decisions';
import type { Io } from '@aish/client/io';
import { QUIET_MS, VerdictLine, type Came } from '@aish/views/verdict-line';

const CTRL_C = '\u0003';

export interface Asking {
  /** The verdict, or `interrupted` if the person leaves. It never settles after `stop` was called. */
  readonly answer: Promise<Verdict | 'interrupted'>;
  /** Withdraws the question. */
  readonly stop: () => void;
}

const QUESTION = '    proceed / skip / not this way / abort? [p/s/n/a] ';
/** The rows below a page: the prompt, and the last line of the previous page. */
const BELOW_ROWS = 3;

/**
 * Splits a card into pages if it is higher than the screen. Returns no pages if the whole card fits. The function is
 * pure.
 */
export function pagesOf(card: readonly string[], rows: number): readonly string[] {
  const height = Math.max(1, rows - BELOW_ROWS);
  if (card.length <= height) return [];
  return Array.from({ length: Math.ceil(card.length / height) }, (_, n) =>
    card.slice(n * height, (n + 1) * height).join('\n'),
  );
}

/** Asks at a terminal for p, s, n or a, and rejects every other key. */
export function askVerdict({ stdin, stderr, signal }: Io, pages: readonly string[] = []): Asking {
  let shown = 0;
  const showPage = (): void => {
    const page = pages[shown];
    shown += 1;
    const isLast = shown >= pages.length;
    if (page !== undefined) stderr.write(`\n${page}\n`);
    stderr.write(isLast ? QUESTION : `    there is more: press Enter for page ${shown + 1} of ${pages.length} `);
  };
  showPage();
  const line = new VerdictLine(performance.now(), Math.max(0, pages.length - 1));
  let stop: () => void = () => undefined;
  const answer = new Promise<Verdict | 'interrupted'>((resolve) => {
    let settling: NodeJS.Timeout | undefined;
    const take = (came: Came): void => {
      if (came.type === 'verdict') return resolve(came.verdict);
      if (came.type === 'page') return showPage();
      if (came.type === 'said') return void stderr.write(`\n    ${came.text} [p/s/n/a] `);
      const mine = setTimeout(() => {
        // Node runs timers before input, so this first handles the keys that arrived while the process was busy.
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
