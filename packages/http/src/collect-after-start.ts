const AFTER_MS = 10_000;

/**
 * Collects once what the start has left behind, where the service was started with `--expose-gc`. V8 does so by itself when
 * enough new garbage comes, which a service with nothing to do never makes: it would keep those tens of megabytes for good.
 */
export function collectAfterStart(): void {
  const { gc } = globalThis;
  if (gc !== undefined) setTimeout(() => gc(), AFTER_MS).unref();
}
