import { randomUUID } from 'node:crypto';
import type { LiveBody, Notice, SessionEvent } from '@aish/contracts/events';
import type { EventBus } from '@aish/queue';
import { AnswerDrafts } from './answer-drafts.js';
import { LiveGather } from './live-gather.js';

/**
 * A message to listeners: a notice from the bus, an event that this process recorded, or a warning that some may be
 * missing.
 */
export type HubMessage =
  | Notice
  | { readonly type: 'recorded'; readonly sessionId: string; readonly events: readonly SessionEvent[] }
  | 'gap';
type Listener = (message: HubMessage) => void;
type NoticeListener = (notice: Notice | 'gap') => void;

/**
 * A process announces its listeners' sessions at this interval, and other processes remember the sessions for as long.
 */
const WATCH_MS = 5_000;
const WATCHED_MS = 3 * WATCH_MS;
/** These stored events end a draft, because the answer is stored, or because it starts again. */
const ENDS_DRAFT: ReadonlySet<string> = new Set([
  'answer.started',
  'answer.ended',
  'exchange.ended',
  'step.started',
  'step.answered',
  'goal.changed',
]);
/** A notice must fit into 8,000 bytes. */
const WATCH_AT_ONCE = 100;

/**
 * Distributes events through one subscription to the bus for all open streams of this process. Events of this process
 * reach its own listeners at once and other processes over the bus. Live text goes over the bus only on request,
 * because most chats are read only by the person who chats.
 */
export class EventHub {
  private readonly listeners = new Set<NoticeListener>();
  private readonly bySession = new Map<string, Set<Listener>>();
  private readonly origin = randomUUID();
  private readonly gather: LiveGather;
  private readonly drafts = new AnswerDrafts();
  private unsubscribe: (() => Promise<void>) | null = null;
  /** The sessions that local listeners want from other processes, with the number of listeners. */
  private readonly wanted = new Map<string, number>();
  /** The sessions with listeners in other processes, and until when that is known (performance.now()). */
  private readonly watched = new Map<string, number>();
  private watching: NodeJS.Timeout | null = null;

  constructor(private readonly bus: EventBus) {
    this.gather = new LiveGather((sessionId, body) => this.sendLive(sessionId, body));
  }

  async start(): Promise<void> {
    this.unsubscribe = await this.bus.subscribe(
      (notice) => this.tell(notice),
      () => this.tell('gap'),
    );
    this.watching = setInterval(() => this.watchAgain(), WATCH_MS);
    this.watching.unref();
  }

  async stop(): Promise<void> {
    if (this.watching !== null) clearInterval(this.watching);
    this.gather.flush();
    await this.unsubscribe?.();
    this.listeners.clear();
    this.bySession.clear();
  }

  /**
   * Adds a listener. `gap` means that notices may be missing, so the listener must read the database again. Returns a
   * function that stops listening.
   */
  listen(listener: NoticeListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /**
   * Like `listen`, for one session. The listener also receives the events that this process records. @param runsHere
   * whether this process runs the session, so that no other process has its live text
   */
  listenTo(sessionId: string, listener: Listener, runsHere = false): () => void {
    const listeners = this.bySession.get(sessionId) ?? new Set();
    this.bySession.set(sessionId, listeners.add(listener));
    if (!runsHere) this.want(sessionId, 1);
    return () => {
      if (!listeners.delete(listener)) return;
      if (!runsHere) this.want(sessionId, -1);
      if (listeners.size === 0 && this.bySession.get(sessionId) === listeners) this.bySession.delete(sessionId);
    };
  }

  /** Returns the current answer so far, for a new listener. */
  draft(sessionId: string): LiveBody | null {
    return this.drafts.whole(sessionId);
  }

  /** Publishes committed events. */
  recorded(sessionId: string, events: readonly SessionEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    this.gather.flush(sessionId);
    if (events.some(({ body }) => ENDS_DRAFT.has(body.type))) this.drafts.drop(sessionId);
    for (const listener of this.bySession.get(sessionId) ?? []) listener({ type: 'recorded', sessionId, events });
    const types = events.map(({ body }) => body.type);
    // Local listeners come first.
    setImmediate(() => void this.bus.publish({ type: 'events', sessionId, seq: last.seq, goalId: null, types }));
  }

  /** Publishes live text, which is not stored. */
  live(sessionId: string, body: LiveBody): void {
    this.drafts.add(sessionId, body);
    for (const listener of this.bySession.get(sessionId) ?? []) listener({ type: 'live', sessionId, body });
    if (this.watched.size > 0 && (this.watched.get(sessionId) ?? 0) > performance.now()) {
      this.gather.add(sessionId, body);
    }
  }

  private sendLive(sessionId: string, body: LiveBody): void {
    void this.bus.publish({ type: 'live', sessionId, body, origin: this.origin });
  }

  private sendDraft(sessionId: string): void {
    const pieces = this.drafts.pieces(sessionId);
    for (const [at, body] of pieces.entries()) {
      const piece = at === pieces.length - 1 ? 'last' : 'more';
      void this.bus.publish({ type: 'live', sessionId, body, origin: this.origin, piece });
    }
  }

  private want(sessionId: string, more: 1 | -1): void {
    const count = (this.wanted.get(sessionId) ?? 0) + more;
    if (count === 0) this.wanted.delete(sessionId);
    else this.wanted.set(sessionId, count);
    if (count === 1 && more === 1) this.watch([sessionId]);
  }

  private watch(sessionIds: readonly string[]): void {
    void this.bus.publish({ type: 'watch', sessionIds: [...sessionIds], origin: this.origin });
  }

  private watchAgain(): void {
    const ids = [...this.wanted.keys()];
    for (let at = 0; at < ids.length; at += WATCH_AT_ONCE) this.watch(ids.slice(at, at + WATCH_AT_ONCE));
    const now = performance.now();
    for (const [sessionId, until] of this.watched) if (until < now) this.watched.delete(sessionId);
  }

  /**
   * Assembles a draft that arrives in pieces, because a client that ignores drafts must not print its pieces as new
   * text.
   */
  private assembled(notice: Exclude<Notice, { type: 'watch' }>): Notice | null {
    if (notice.type !== 'live' || notice.piece === undefined) return notice;
    const body = this.drafts.whole(notice.sessionId);
    return notice.piece === 'more' || body === null ? null : { ...notice, body };
  }

  private tell(notice: Notice | 'gap'): void {
    if (notice === 'gap') {
      this.watchAgain();
      for (const listeners of this.bySession.values()) for (const listener of listeners) listener(notice);
    } else if (notice.type === 'watch') {
      if (notice.origin === this.origin) return;
      const until = performance.now() + WATCHED_MS;
      for (const sessionId of notice.sessionIds) {
        const isNew = !this.watched.has(sessionId);
        this.watched.set(sessionId, until);
        // New listeners missed the beginning of the answer. The gathered text is part of the draft.
        if (isNew) this.sendDraft(sessionId);
      }
      return;
    } else {
      // This process has already published its own live text.
      if (notice.type === 'live' && notice.origin === this.origin) return;
      if (notice.type === 'live') this.drafts.add(notice.sessionId, notice.body);
      if (notice.type === 'events' && notice.types.some((type) => ENDS_DRAFT.has(type)))
        this.drafts.drop(notice.sessionId);
      const sessionId = notice.type === 'cancel' ? null : notice.sessionId;
      const passed = this.assembled(notice);
      if (passed === null) return;
      if (sessionId !== null) for (const listener of this.bySession.get(sessionId) ?? []) listener(passed);
    }
    for (const listener of this.listeners) listener(notice);
  }
}
