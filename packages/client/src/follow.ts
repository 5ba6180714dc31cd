import type { EventSourceMessage } from 'eventsource-parser';
import { ApiError } from './api.error.js';
import { afterLoss, noAttempts } from './backoff.js';

export type Followed<T> =
  | { readonly type: 'open' }
  | { readonly type: 'item'; readonly item: T }
  /** `error` is null when the server ended the stream in good order. */
  | { readonly type: 'lost'; readonly error: ApiError | null; readonly pauseMs: number };

interface FollowOptions {
  readonly signal: AbortSignal;
  /** Try again after refusals (4xx) too. */
  readonly stubborn?: boolean;
}

/**
 * Server-sent events over as many connections as it takes, with growing pauses between failures. Ends quietly when
 * `signal` is aborted.
 * @param connect Opens one connection; resuming where the last one ended is its business.
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

/** Waits, or until it is aborted. Not by a function of Node: pages follow streams, too. */
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
