/**
 * Keeps every `AbortSignal.timeout` of this process alive until it has fired. Call it once, before anything else. Node
 * holds such a signal weakly while it has no listeners, and membership in an `AbortSignal.any` does not count as a
 * listener. Without this, code that waits for the combined signal could wait forever after a garbage collection
 * (nodejs/node#57736, not fixed in Node 20).
 */
export function keepTimeoutsAlive(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => {
    const signal = timeout(ms);
    signal.addEventListener('abort', () => undefined, { once: true });
    return signal;
  };
}
