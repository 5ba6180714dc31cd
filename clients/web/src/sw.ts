// The service worker shows the page and screens that were seen before when there is no network. It never answers a
// request that changes something.
const worker = globalThis as unknown as Worker;

/** The parts of the service worker API that this file uses. The DOM types lack them. */
interface Waiting extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Waiting {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Pushed extends Waiting {
  readonly data: { json(): PushedNotification } | null;
}
interface Clicked extends Waiting {
  readonly notification: Notification;
}
/** A push message from aish. `at` is the place in the page that the message is about. */
interface PushedNotification {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly at: string;
}
interface Tab {
  readonly url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
interface Worker {
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly location: Location;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: { readonly type: 'window' }): Promise<readonly Tab[]>;
    openWindow(url: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: Waiting) => void): void;
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void;
  addEventListener(type: 'push', listener: (event: Pushed) => void): void;
  addEventListener(type: 'notificationclick', listener: (event: Clicked) => void): void;
}

const SHELL = 'aish-shell';
const SEEN = 'aish-seen';
const SEEN_MAX = 200;
const NETWORK_MS = 4_000;
/** Only these answers are stored. Streams and files are not. */
const KEPT =
  /\/v1\/(goals|decisions|sessions|memory|knowledge\/nodes|schedules|models|hosts|spaces|web\/session)\b(?!.*\/(events|files|export))/;

worker.addEventListener('install', () => void worker.skipWaiting());
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== worker.location.origin) return;
  const isShell = url.pathname.startsWith(new URL('.', worker.location.href).pathname);
  if (isShell) event.respondWith(first(request, SHELL));
  else if (KEPT.test(url.pathname)) event.respondWith(first(request, SEEN));
});

worker.addEventListener('push', (event) => {
  if (event.data === null) return;
  const { id, title, text, at } = event.data.json();
  // A repeated notification replaces the first one.
  const options = { body: text, tag: id, data: at, icon: 'icon.svg' };
  event.waitUntil(worker.registration.showNotification(title, options));
});

// Verdicts are given on the page, which shows the whole action, so a notification has no buttons for them.
worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const url = new URL(`#/${String(event.notification.data)}`, new URL('.', worker.location.href)).href;
  event.waitUntil(open(url));
});

async function open(url: string): Promise<void> {
  const [tab] = await worker.clients.matchAll({ type: 'window' });
  if (tab === undefined) return void (await worker.clients.openWindow(url));
  await tab.focus();
  await tab.navigate(url);
}

/** Returns the network's answer, or else the last stored one. */
async function first(request: Request, name: string): Promise<Response> {
  const cache = await caches.open(name);
  const kept = await cache.match(request);
  try {
    const response = await fetch(request, kept === undefined ? {} : { signal: AbortSignal.timeout(NETWORK_MS) });
    if (response.status === 401) await caches.delete(SEEN);
    if (response.ok) await keep(cache, request, response.clone());
    return response;
  } catch {
    if (kept === undefined) return Response.error();
    const headers = new Headers(kept.headers);
    headers.set('x-aish-seen', 'yes');
    return new Response(kept.body, { status: kept.status, headers });
  }
}

async function keep(cache: Cache, request: Request, response: Response): Promise<void> {
  await cache.put(request, response);
  const keys = await cache.keys();
  for (const old of keys.slice(0, Math.max(0, keys.length - SEEN_MAX))) await cache.delete(old);
}
