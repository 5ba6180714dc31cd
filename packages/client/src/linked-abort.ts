export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Aborts only this signal. */
  readonly abort: (reason?: unknown) => void;
  /** Removes the listeners from the other signals. Always call it at the end. */
  readonly unlink: () => void;
}

/**
 * Returns a signal that aborts with any of the others. It does not use AbortSignal.any, whose signal the garbage
 * collector of Node 20 may remove while somebody waits for it.
 */
export function linkAbort(...sources: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const unlinks = sources.flatMap((source) => {
    if (source === undefined) return [];
    const onAbort = (): void => controller.abort(source.reason);
    if (source.aborted) onAbort();
    source.addEventListener('abort', onAbort, { once: true });
    return [() => source.removeEventListener('abort', onAbort)];
  });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => unlinks.forEach((unlink) => unlink()),
  };
}
