import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { follow } from '@aish/client/follow';
import { requestTo, type HttpClient, type Request } from '@aish/client/http.client';
import { LiveSoFar } from './live-so-far.js';
import { chatApi } from '@aish/contracts/endpoints/sessions';

/** A page's request to the hub. `after` is the last event that the page has. */
export type Wish =
  | { readonly type: 'watch'; readonly session: string; readonly after: number }
  | { readonly type: 'unwatch'; readonly session: string }
  | { readonly type: 'wake' }
  /** The person has signed in again in this tab. */
  | { readonly type: 'start' }
  | { readonly type: 'stop' }
  /** The session of this browser has ended. */
  | { readonly type: 'left' }
  | { readonly type: 'bye' };

/** A message from the hub to a page. The events of a session arrive in order, each once. */
export type News =
  | { readonly type: 'notice' }
  | { readonly type: 'connection'; readonly isUp: boolean }
  | { readonly type: 'signed-out' }
  /** A tab of this browser has a session again. */
  | { readonly type: 'signed-in' }
  | { readonly type: 'events'; readonly session: string; readonly events: readonly SessionEvent[] }
  | { readonly type: 'live'; readonly session: string; readonly bodies: readonly LiveBody[] };

export type Tell = (news: News) => void;

/** A browser allows six connections to a server. Two of them are left for requests. */
const STREAMS_MAX = 4;
const GATHER_MS = 30;

/**
 * Holds all streams of a browser, however many tabs it has: one for notices, and one for each session that is open. The
 * hub lives in a shared worker, or in the page if the browser has no shared workers.
 */
export class Hub {
  private readonly tabs = new Map<Tell, Set<string>>();
  private readonly feeds = new Map<string, Feed>();
  private notices: Stream | null = null;

  constructor(private readonly client: HttpClient) {}

  join(tell: Tell): void {
    this.tabs.set(tell, new Set());
    this.start();
  }

  private start(): void {
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
      case 'start':
        this.start();
        this.all({ type: 'signed-in' });
        return;
      case 'left':
        this.signedOut();
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
    // The session that was opened first is suspended. Its tab asks for it again when that tab is opened.
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

  /**
   * Reports that the connection is up or down. Notices may have been missed during a gap, so everything is reloaded.
   */
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

/** Stores the events of one session, so that a tab that joins later needs no other connection. */
class Feed {
  private readonly events: SessionEvent[] = [];
  private readonly listeners = new Set<Tell>();
  private readonly soFar = new LiveSoFar();
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
    const isNew = !this.listeners.has(tell);
    this.listeners.add(tell);
    const events = this.events.filter(({ seq }) => seq > after);
    if (events.length > 0) tell({ type: 'events', session: this.session, events });
    const { bodies } = this.soFar;
    if (isNew && bodies.length > 0) tell({ type: 'live', session: this.session, bodies });
  }

  /** @returns whether no tab is left */
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
      const body = JSON.parse(data) as LiveBody;
      this.soFar.add(body);
      this.news.live.push(body);
      return;
    }
    const event = JSON.parse(data) as SessionEvent;
    if (event.seq <= this.lastSeq) return;
    // The live text so far is sent before this event, so that its place stays.
    if (this.news.live.length > 0) this.flush();
    this.news ??= { events: [], live: [] };
    this.soFar.stored(event);
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
  /** Called when the session of this browser has ended. */
  readonly refused: () => void;
}

/** Opens one connection after another, with growing pauses, until it is stopped. */
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

  /** Reconnects immediately, because a connection that died while the machine slept looks like a quiet one. */
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
