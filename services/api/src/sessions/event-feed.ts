import type { LiveBody, Notice, SessionEvent } from '@aish/contracts';
import { listEvents, type Database } from '@aish/database';
import type { EventHub } from './event-hub.js';

export type FeedItem =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly body: LiveBody };

const BATCH = 200;
/** A reader that is this far behind gets no more live text; stored events it always gets. */
const MAX_LIVE_BACKLOG = 500;
/** Events are looked up at least this often, in case a notice was lost on its way. */
const LOOK_AGAIN_MS = 5_000;

/**
 * All events of a session after `afterSeq`, in order, each once, for as long as `signal` lets it; between them the
 * live text as it comes. The bus only wakes it: what it says always comes out of the database.
 */
export async function* feed(
  db: Database,
  hub: EventHub,
  sessionId: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<FeedItem> {
  let seen = afterSeq;
  let stale = true;
  let live: LiveBody[] = [];
  let wake: () => void = () => undefined;
  const stop = hub.listen((notice: Notice | 'gap') => {
    if (notice === 'gap') stale = true;
    else if (notice.type === 'cancel' || notice.sessionId !== sessionId) return;
    else if (notice.type === 'events') stale ||= notice.seq > seen;
    else if (live.length < MAX_LIVE_BACKLOG) live.push(notice.body);
    wake();
  });
  const onAbort = () => wake();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    while (!signal.aborted) {
      if (stale) {
        stale = false;
        const events = await listEvents(db.prisma, sessionId, seen, BATCH);
        for (const event of events) {
          seen = event.seq;
          yield { type: 'event', event };
        }
        stale ||= events.length === BATCH;
      } else if (live.length > 0) {
        const bodies = live;
        live = [];
        for (const body of bodies) yield { type: 'live', body };
      } else {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(() => {
            stale = true;
            resolve();
          }, LOOK_AGAIN_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
          if (signal.aborted || stale || live.length > 0) wake();
        });
      }
    }
  } finally {
    stop();
    signal.removeEventListener('abort', onAbort);
  }
}
