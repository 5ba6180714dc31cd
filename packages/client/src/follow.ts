import type { EventSourceMessage } from 'eventsource-parser';
import { ApiError } from './api.error.js';
import { afterLoss, noAttempts } from './backoff.js';

export type Followed<T> =
  | { readonly type: 'open' }
  | { readonly type: 'item'; readonly item: T }
  /** The connection was lost. `error` is null if the server ended the stream properly. */
  | { readonly type: 'lost'; readonly error: ApiError | null; readonly pauseMs: number };

interface FollowOptions {
  readonly signal: AbortSignal;
  /** Whether to retry after refusals (4xx), too. */
  readonly stubborn?: boolean;
}

/**
 * Yields server-sent events over as many connections as needed, with growing pauses between failures. It ends without
 * an error when `signal` aborts.
 *
 * @param connect opens one connection and resumes where the last one ended.
 */
export async function* follow(
  connect: () => AsyncIterable<'open' | EventSourceMessage>,
  { signal, stubborn = false }: FollowOptions,
): AsyncGenerator<Followed<EventSourceMessage>> {
  let attempts = noAttempts;
  while (!signal.aborted) {
    let openedAt: number | null = null;
    let messages = 0;
    let lost: ApiError | null = null;
    try {
      for await (const message of connect()) {
        if (message === 'open') {
          openedAt = performance.now();
          yield { type: 'open' };
        } else {
          messages += 1;
          yield { type: 'item', item: message };
        }
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ApiError)) throw error;
      if (!stubborn && !error.isTransient) throw error;
      lost = error;
    }
    if (signal.aborted) return;
    const openMs = openedAt === null ? 0 : performance.now() - openedAt;
    const next = afterLoss(attempts, { openMs, messages }, Math.random());
    attempts = next.attempts;
    yield { type: 'lost', error: lost, pauseMs: next.pauseMs };
    await pause(next.pauseMs, signal);
  }
}

/** Waits until the time is over or the signal aborts. It uses no Node function, because pages also follow streams. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });
}
