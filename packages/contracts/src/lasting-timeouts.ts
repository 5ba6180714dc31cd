/**
 * Has every `AbortSignal.timeout` of this process last until its time is over; to be called once, first of all. Node holds
 * such a signal weakly while nobody listens to it, and being part of an `AbortSignal.any` does not count: what waits under
 * both then waits for good once garbage was collected (nodejs/node#57736, not mended in Node 20).
 */
export function keepTimeouts(): void {
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  AbortSignal.timeout = (ms) => {
    const signal = timeout(ms);
    signal.addEventListener('abort', () => undefined, { once: true });
    return signal;
  };
}
