export interface LinkedAbort {
  readonly signal: AbortSignal;
  /** Aborts it from here. */
  readonly abort: (reason?: unknown) => void;
  /** Lets go of the other signals. Must be called in the end. */
  readonly unlink: () => void;
}

/**
 * A signal that is aborted with any of the others. Not AbortSignal.any: on Node 20 the garbage collector may take what
 * that returns while somebody waits for it.
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
