/** The signals with which a person stops aish: first in an orderly way, then at once. */
export interface StopSignals {
  /** Aborts at the first Ctrl-C, SIGTERM or closed terminal. */
  readonly stop: AbortSignal;
  /** Aborts at the second of these signals. */
  readonly kill: AbortSignal;
}

// npm forwards the Ctrl-C that the terminal has already sent, so two signals have one meaning.
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
