import type { LiveBody, SessionEvent } from '@aish/contracts/events';
import { client, isOnline, lookWho, who } from '../api.js';
import { Store } from '../store.js';
import { scriptUrl } from '../trusted.js';
import { Hub, type News, type Wish } from './hub.js';

/** Increases with every notice from the api, which says that something has changed. */
export const changes = new Store(0);

interface Watcher {
  after: number;
  readonly events: (events: readonly SessionEvent[]) => void;
  readonly live: (bodies: readonly LiveBody[]) => void;
}

const watchers = new Map<string, Set<Watcher>>();
let wish: ((wish: Wish) => void) | null = null;
let due: ReturnType<typeof setTimeout> | null = null;

/** A running goal changes many times a second, but lists reload at most about twice a second. */
const NOTICE_MS = 400;
/** A page that has slept this long checks its connection. */
const SLEPT_MS = 45_000;

/** Opens the streams, or joins those of another tab. After a new sign-in it opens them again. */
export function goLive(): void {
  if (wish !== null) return wish({ type: 'start' });
  if (typeof SharedWorker === 'undefined') {
    const hub = new Hub(client);
    hub.join(hear);
    wish = (each) => hub.hear(hear, each);
  } else {
    const { port } = new SharedWorker(scriptUrl('hub.js'), { type: 'module', name: 'aish' });
    port.addEventListener('message', ({ data }: MessageEvent<News>) => hear(data));
    port.start();
    wish = (each) => port.postMessage(each);
  }
  addEventListener('pagehide', () => wish?.({ type: 'bye' }));
  addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
  addEventListener('online', () => wish?.({ type: 'wake' }));
  let beatAt = Date.now();
  setInterval(() => {
    if (Date.now() - beatAt > SLEPT_MS) wish?.({ type: 'wake' });
    beatAt = Date.now();
  }, 15_000);
  for (const session of watchers.keys()) sendWatch(session);
}

/** Ends the streams of every tab, so that nothing stays open after signing out. */
export function goSilent(): void {
  wish?.({ type: 'stop' });
}

/** Tells every tab that the session of this browser has ended. */
export function tellSignedOut(): void {
  wish?.({ type: 'left' });
}

/** Follows a session from its first event. @returns a function that stops following */
export function watchSession(session: string, how: Omit<Watcher, 'after'>): () => void {
  const watcher = { ...how, after: 0 };
  const others = watchers.get(session) ?? new Set();
  watchers.set(session, others.add(watcher));
  sendWatch(session);
  return () => {
    others.delete(watcher);
    if (others.size > 0) return;
    watchers.delete(session);
    wish?.({ type: 'unwatch', session });
  };
}

function sendWatch(session: string): void {
  const after = Math.min(...Array.from(watchers.get(session) ?? [], (each) => each.after));
  wish?.({ type: 'watch', session, after });
}

function hear(news: News): void {
  switch (news.type) {
    case 'notice':
      due ??= setTimeout(() => {
        due = null;
        changes.set(changes.get() + 1);
      }, NOTICE_MS);
      return;
    case 'connection':
      isOnline.set(news.isUp);
      return;
    case 'signed-out':
      who.set(null);
      return;
    case 'signed-in':
      if (who.get() === null) void lookWho().catch(() => undefined);
      return;
    case 'events':
      for (const watcher of watchers.get(news.session) ?? []) {
        const events = news.events.filter(({ seq }) => seq > watcher.after);
        watcher.after = events.at(-1)?.seq ?? watcher.after;
        if (events.length > 0) watcher.events(events);
      }
      return;
    case 'live':
      for (const watcher of watchers.get(news.session) ?? []) watcher.live(news.bodies);
  }
}
