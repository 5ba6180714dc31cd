import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../api/api.client.js';
import { asApiError } from '../api/api.error.js';
import { linkAbort } from '../api/linked-abort.js';
import type { Msg } from '../messages.js';

/** Whoever holds an arrow key passes many goals; only the one they stay at is followed. */
const CHOICE_SETTLES_MS = 80;

/** The session that is followed in each place; another one takes its place. */
export class FollowedSessions {
  private readonly following: Record<'goal' | 'chat', AbortController | null> = { goal: null, chat: null };

  constructor(
    private readonly client: ApiClient,
    private readonly dispatch: (msg: Msg) => void,
    private readonly stop: AbortSignal,
  ) {}

  /** Follows a session until another one is followed in its place. Never throws: trouble is a message. */
  async follow(place: 'goal' | 'chat', sessionId: string | null): Promise<void> {
    this.following[place]?.abort();
    const chosen = sessionId === null ? null : new AbortController();
    this.following[place] = chosen;
    if (sessionId === null || chosen === null) return;
    const { signal, unlink } = linkAbort(this.stop, chosen.signal);
    try {
      await sleep(CHOICE_SETTLES_MS, undefined, { signal });
      for await (const item of this.client.followSession(sessionId, signal)) {
        if (item.type === 'open') this.dispatch({ type: 'feedTrouble', sessionId, text: null });
        else if (item.type === 'lost' && item.error !== null) {
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
      unlink();
    }
  }
}
