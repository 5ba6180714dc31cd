import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import type { Database } from '@aish/database/client';
import { listEvents } from '@aish/database/events.repository';
import type { EventHub, HubMessage } from './event-hub.js';
import { mergeInto } from './live-gather.js';

export type FeedItem =
  | { readonly type: 'event'; readonly event: SessionEvent }
  | { readonly type: 'live'; readonly body: LiveBody };

const BATCH = 200;
/** A reader that is this far behind gets no more live text, but still gets every stored event. */
const MAX_LIVE_BACKLOG = 500;
/** The maximum time between two reads of the database, in case a notice is lost. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Yields all events of a session after a given one, in order, each once, with live text in between. Events of this
 * process arrive directly. For events of other processes the bus only triggers a read of the database. The feed listens
 * from its construction on, so it misses nothing before the first read. It must always be closed.
 */
export class SessionFeed {
  private seen = 0;
  private stale = true;
  private queue: (SessionEvent | LiveBody)[] = [];
  private backlog = 0;
  private wake: () => void = () => undefined;
  private readonly stopListening: () => void;

  constructor(
    private readonly db: Database,
    private readonly hub: EventHub,
    private readonly sessionId: string,
    runsHere = false,
  ) {
    this.stopListening = hub.listenTo(sessionId, (message) => this.hear(message), runsHere);
    // The draft is read after the stored events that precede it.
    const draft = hub.draft(sessionId);
    if (draft !== null) this.hearLive(draft);
  }

  /**
   * @param afterSeq the last event that the reader has. @param knowsAll whether this process records all later events,
   * so that no read is needed
   */
  async *items(afterSeq: number, signal: AbortSignal, knowsAll = false): AsyncGenerator<FeedItem> {
    this.seen = afterSeq;
    if (knowsAll) this.stale = false;
    const onAbort = () => this.wake();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (!signal.aborted) {
        if (this.stale) yield* this.lookUp();
        else if (this.queue.length > 0) yield* this.drain();
        else await this.rest(signal);
      }
    } finally {
      this.close();
      signal.removeEventListener('abort', onAbort);
    }
  }

  close(): void {
    this.stopListening();
  }

  private hear(message: HubMessage): void {
    if (message === 'gap') this.stale = true;
    else if (message.type === 'recorded') this.queue.push(...message.events);
    else if (message.type === 'events') this.stale ||= message.seq > Math.max(this.seen, this.lastQueued());
    else if (message.type === 'live') this.hearLive(message.body);
    this.wake();
  }

  private hearLive(body: LiveBody): void {
    const last = this.queue.at(-1);
    const live: LiveBody[] = last !== undefined && 'type' in last ? [last] : [];
    mergeInto(live, body);
    if (live.length === 1 && last !== undefined && 'type' in last) this.queue[this.queue.length - 1] = live[0] ?? body;
    else if (this.backlog < MAX_LIVE_BACKLOG) {
      this.queue.push(body);
      this.backlog += 1;
    }
  }

  private lastQueued(): number {
    const last = this.queue.findLast((each): each is SessionEvent => 'seq' in each);
    return last?.seq ?? 0;
  }

  private async *lookUp(): AsyncGenerator<FeedItem> {
    this.stale = false;
    const events = await listEvents(this.db.statements, this.sessionId, this.seen, BATCH);
    for (const event of events) {
      this.seen = event.seq;
      yield { type: 'event', event };
    }
    this.stale ||= events.length === BATCH;
  }

  private async *drain(): AsyncGenerator<FeedItem> {
    const queue = this.queue;
    this.queue = [];
    this.backlog = 0;
    for (const [at, item] of queue.entries()) {
      if ('type' in item) yield { type: 'live', body: item };
      else if (item.seq <= this.seen) continue;
      else if (item.seq === this.seen + 1) {
        this.seen = item.seq;
        yield { type: 'event', event: item };
      } else {
        // An earlier event is missing here, and the database has both.
        this.stale = true;
        this.queue = [...queue.slice(at + 1), ...this.queue];
        return;
      }
    }
  }

  private rest(signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.stale = true;
        resolve();
      }, LOOK_AGAIN_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (signal.aborted || this.stale || this.queue.length > 0) this.wake();
    });
  }
}
