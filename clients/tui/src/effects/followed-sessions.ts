import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '@aish/client/api.client';
import { asApiError } from '@aish/client/api.error';
import { linkAbort } from '@aish/client/linked-abort';
import type { Msg } from '../messages.js';

/** While an arrow key is held, the selection passes many goals. Only the goal where it stops is followed. */
const CHOICE_SETTLES_MS = 80;
/** After this time a message is sent even if its session cannot be followed. Its text is read again later. */
const OPENS_WITHIN_MS = 3_000;

interface Opened {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

interface Following {
  readonly sessionId: string;
  readonly leave: AbortController;
  /** Settles when the stream is open, or when it has failed for good. */
  readonly opened: Opened;
}

/** Follows the session of each place. A new session replaces the previous one. */
export class FollowedSessions {
  private readonly following: Record<'goal' | 'chat', Following | null> = { goal: null, chat: null };

  constructor(
    private readonly client: ApiClient,
    private readonly dispatch: (msg: Msg) => void,
    private readonly stop: AbortSignal,
  ) {}

  /** Follows a session until another one replaces it. Never throws, because errors become messages. */
  async follow(place: 'goal' | 'chat', sessionId: string | null): Promise<void> {
    this.following[place]?.leave.abort();
    this.following[place] = null;
    if (sessionId === null) return;
    const chosen = { sessionId, leave: new AbortController(), opened: opened() };
    this.following[place] = chosen;
    const { signal, unlink } = linkAbort(this.stop, chosen.leave.signal);
    try {
      if (place === 'goal') await sleep(CHOICE_SETTLES_MS, undefined, { signal });
      for await (const item of this.client.followSession(sessionId, signal)) {
        if (item.type === 'open') {
          chosen.opened.resolve();
          this.dispatch({ type: 'feedTrouble', sessionId, text: null });
        } else if (item.type === 'lost' && item.error !== null) {
          this.dispatch({ type: 'feedTrouble', sessionId, text: item.error.message });
        } else if (item.type === 'item' && item.item.type === 'event') {
          this.dispatch({ type: 'happened', sessionId, event: item.item.event });
        } else if (item.type === 'item' && item.item.type === 'live') {
          this.dispatch({ type: 'live', sessionId, body: item.item.body });
        }
      }
    } catch (error) {
      if (!signal.aborted) this.dispatch({ type: 'feedTrouble', sessionId, text: asApiError(error).message });
    } finally {
      chosen.opened.resolve();
      unlink();
    }
  }

  /** Waits until the stream of a followed session is open, because earlier live text is not repeated. */
  async heard(sessionId: string): Promise<void> {
    const followed = Object.values(this.following).find((each) => each?.sessionId === sessionId);
    if (followed === undefined || followed === null) return;
    const waiting = new AbortController();
    const tooLong = sleep(OPENS_WITHIN_MS, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([followed.opened.promise, tooLong]);
    waiting.abort();
  }
}

function opened(): Opened {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
