/** How a person stops aish: once in order, a second time at once. */
export interface StopSignals {
  /** Aborts at the first Ctrl-C, SIGTERM or closed terminal. */
  readonly stop: AbortSignal;
  /** Aborts at the second. */
  readonly kill: AbortSignal;
}

// npm passes on the Ctrl-C that the terminal has already sent: two signals, one wish.
const ECHO_MS = 700;

export function watchStopSignals(source: NodeJS.EventEmitter = process, now: () => number = Date.now): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  let firstAt: number | null = null;
  const onSignal = (): void => {
    if (firstAt === null) {
      firstAt = now();
      stop.abort();
    } else if (now() - firstAt > ECHO_MS) kill.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) source.on(name, onSignal);
  return { stop: stop.signal, kill: kill.signal };
}
