/** The signals with which a person stops aish: first in an orderly way, then at once. */
export interface StopSignals {
  /** Aborts at the first Ctrl-C, SIGTERM or closed terminal. */
  readonly stop: AbortSignal;
  /** Aborts at the second of these signals. */
  readonly kill: AbortSignal;
  /** Aborts if `aish upgrade` asked for the stop, so that the new version can start. */
  readonly upgrade: AbortSignal;
}

// npm forwards the Ctrl-C that the terminal has already sent, so two signals have one meaning.
const ECHO_MS = 700;

export function watchStopSignals(source: NodeJS.EventEmitter = process, now: () => number = Date.now): StopSignals {
  const stop = new AbortController();
  const kill = new AbortController();
  const upgrade = new AbortController();
  let firstAt: number | null = null;
  const onSignal = (): void => {
    if (firstAt === null) {
      firstAt = now();
      stop.abort();
    } else if (now() - firstAt > ECHO_MS) kill.abort();
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) source.on(name, onSignal);
  source.on('SIGUSR2', () => {
    if (stop.signal.aborted) return;
    upgrade.abort();
    stop.abort();
  });
  return { stop: stop.signal, kill: kill.signal, upgrade: upgrade.signal };
}
