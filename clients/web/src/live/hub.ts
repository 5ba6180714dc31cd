import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { follow } from '@aish/client/follow';
import { requestTo, type HttpClient, type Request } from '@aish/client/http.client';
import { chatApi } from '@aish/contracts/endpoints/sessions';

/** What a page asks the hub for. `after`: the last event that it has. */
export type Wish =
  | { readonly type: 'watch'; readonly session: string; readonly after: number }
  | { readonly type: 'unwatch'; readonly session: string }
  | { readonly type: 'wake' }
  | { readonly type: 'stop' }
  | { readonly type: 'bye' };

/** What it is told. Events of a session come in order, each once. */
export type News =
  | { readonly type: 'notice' }
  | { readonly type: 'connection'; readonly isUp: boolean }
  | { readonly type: 'signed-out' }
  | { readonly type: 'events'; readonly session: string; readonly events: readonly SessionEvent[] }
  | { readonly type: 'live'; readonly session: string; readonly bodies: readonly LiveBody[] };

export type Tell = (news: News) => void;

/** A browser has six connections to a server; two are left for questions. */
const STREAMS_MAX = 4;
const GATHER_MS = 30;

/**
 * All streams of a browser, for however many of its tabs: one of notices, and one for each session that somebody looks at.
 * Lives in a shared worker, or in the page where there is none.
 */
export class Hub {
  private readonly tabs = new Map<Tell, Set<string>>();
  private readonly feeds = new Map<string, Feed>();
  private notices: Stream | null = null;

  constructor(private readonly client: HttpClient) {}

  join(tell: Tell): void {
    this.tabs.set(tell, new Set());
    this.notices ??= new Stream(this.client, () => requestTo(chatApi.notices, {}), {
      item: () => this.all({ type: 'notice' }),
      up: (isUp) => this.upOrDown(isUp),
      refused: () => this.signedOut(),
    });
  }

  hear(tell: Tell, wish: Wish): void {
    const watched = this.tabs.get(tell);
    if (watched === undefined) return;
    switch (wish.type) {
      case 'watch':
        watched.add(wish.session);
        this.feedOf(wish.session).join(tell, wish.after);
        return;
      case 'unwatch':
        watched.delete(wish.session);
        this.leave(tell, wish.session);
        return;
      case 'wake':
        this.notices?.wake();
        for (const feed of this.feeds.values()) feed.stream.wake();
        return;
      case 'stop':
        this.stop();
        return;
      case 'bye':
        for (const session of watched) this.leave(tell, session);
        this.tabs.delete(tell);
        if (this.tabs.size === 0) this.stop();
    }
  }

  private feedOf(session: string): Feed {
    const known = this.feeds.get(session);
    if (known !== undefined) {
      this.feeds.delete(session);
      this.feeds.set(session, known);
      return known;
    }
    const feed = new Feed(session, this.client, () => this.signedOut());
    this.feeds.set(session, feed);
    // The one that was looked at first rests: its tab asks again when it is looked at.
    const [oldest] = this.feeds.values();
    if (this.feeds.size > STREAMS_MAX && oldest !== undefined) this.drop(oldest);
    return feed;
  }

  private leave(tell: Tell, session: string): void {
    const feed = this.feeds.get(session);
    if (feed?.leave(tell) === true) this.drop(feed);
  }

  private drop(feed: Feed): void {
    feed.stream.stop();
    this.feeds.delete(feed.session);
  }

  /** After a gap notices may have been missed, so everything is looked at again. */
  private upOrDown(isUp: boolean): void {
    this.all({ type: 'connection', isUp });
    if (isUp) this.all({ type: 'notice' });
  }

  private signedOut(): void {
    this.stop();
    this.all({ type: 'signed-out' });
  }

  private stop(): void {
    this.notices?.stop();
    this.notices = null;
    for (const feed of this.feeds.values()) this.drop(feed);
  }

  private all(news: News): void {
    for (const tell of this.tabs.keys()) tell(news);
  }
}

/** The events of one session, kept so that a tab that joins later gets them without another connection. */
class Feed {
  private readonly events: SessionEvent[] = [];
  private readonly listeners = new Set<Tell>();
  private news: { events: SessionEvent[]; live: LiveBody[] } | null = null;
  readonly stream: Stream;

  constructor(
    readonly session: string,
    client: HttpClient,
    refused: () => void,
  ) {
    const request = (): Request =>
      requestTo(chatApi.events, { params: { ref: session }, query: { after: this.lastSeq } });
    this.stream = new Stream(client, request, {
      item: (data, isStored) => this.take(data, isStored),
      up: () => undefined,
      refused,
    });
  }

  join(tell: Tell, after: number): void {
    this.flush();
    this.listeners.add(tell);
    const events = this.events.filter(({ seq }) => seq > after);
    if (events.length > 0) tell({ type: 'events', session: this.session, events });
  }

  /** @returns whether nobody is left */
  leave(tell: Tell): boolean {
    this.listeners.delete(tell);
    return this.listeners.size === 0;
  }

  private get lastSeq(): number {
    return this.events.at(-1)?.seq ?? 0;
  }

  private take(data: string, isStored: boolean): void {
    if (this.news === null) {
      this.news = { events: [], live: [] };
      setTimeout(() => this.flush(), GATHER_MS);
    }
    if (!isStored) {
      this.news.live.push(JSON.parse(data) as LiveBody);
      return;
    }
    const event = JSON.parse(data) as SessionEvent;
    if (event.seq <= this.lastSeq) return;
    // Live text before it stays before it.
    if (this.news.live.length > 0) this.flush();
    this.news ??= { events: [], live: [] };
    this.events.push(event);
    this.news.events.push(event);
  }

  private flush(): void {
    const { session, news } = this;
    this.news = null;
    if (news === null) return;
    for (const tell of this.listeners) {
      if (news.events.length > 0) tell({ type: 'events', session, events: news.events });
      if (news.live.length > 0) tell({ type: 'live', session, bodies: news.live });
    }
  }
}

interface Heard {
  readonly item: (data: string, isStored: boolean) => void;
  readonly up: (isUp: boolean) => void;
  /** The session of this browser has ended. */
  readonly refused: () => void;
}

/** One connection after the other, with growing pauses, until it is stopped. */
class Stream {
  private readonly ended = new AbortController();
  private current = new AbortController();

  constructor(
    private readonly client: HttpClient,
    private readonly request: () => Request,
    private readonly heard: Heard,
  ) {
    void this.run();
  }

  /** Reconnects at once: after a night of sleep a dead connection looks like a quiet one. */
  wake(): void {
    this.current.abort();
  }

  stop(): void {
    this.ended.abort();
    this.current.abort();
  }

  private async run(): Promise<void> {
    while (!this.ended.signal.aborted) {
      this.current = new AbortController();
      const { signal } = this.current;
      for await (const news of follow(() => this.client.events(this.request(), signal), { signal, stubborn: true })) {
        if (news.type === 'open') this.heard.up(true);
        else if (news.type === 'item') this.heard.item(news.item.data, news.item.id !== undefined);
        else if (news.error?.status === 401) return this.heard.refused();
        else this.heard.up(false);
      }
    }
  }
}
