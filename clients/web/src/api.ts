import { ApiError } from '@aish/client/api.error';
import { HttpClient } from '@aish/client/http.client';
import { urlOf, type Answer, type Endpoint, type Sent } from '@aish/contracts/endpoint';
import { webSessionApi } from '@aish/contracts/endpoints/sign-in';
import type { WebSession } from '@aish/contracts/web';
import { apiBase } from './base.js';
import { Store } from './store.js';
import { T } from './texts.js';

/** Who is signed in; null for nobody, undefined until that is known. */
export const who = new Store<WebSession | null | undefined>(undefined);
export const isOnline = new Store(true);

const TIMEOUT_MS = 60_000;
/** After that an answer says nothing of now. */
const EARLY_MS = 3_000;
/** To draw once, with what there is to draw, is worth so much. */
const EARLY_WAIT_MS = 300;

/** The browser sends the cookie by itself; what changes something also names the session. */
export const client = new HttpClient({
  baseUrl: apiBase(location.href),
  timeoutMs: TIMEOUT_MS,
  credentials: async ({ method = 'GET' }) => {
    const session = who.get();
    return method === 'GET' || !session ? {} : { 'x-aish-csrf': session.csrf };
  },
  fetch: async (url, init) => {
    const response = await fetch(url, { ...init, cache: 'no-store' });
    isOnline.set(response.headers.get('x-aish-seen') === null);
    if (response.status === 401 && who.get()) who.set(null);
    return response;
  },
});

interface Early {
  readonly asked: Promise<unknown>;
  answer?: unknown;
}
const early = new Map<string, Early>();

/** Asks for something that the first screen will ask for, while it is not known yet who is signed in. Its answer is good once. */
export function askEarly<const E extends Endpoint>(endpoint: E, sent: Sent<E>): void {
  const path = urlOf(endpoint, sent);
  const one: Early = { asked: call(endpoint, sent) };
  one.asked.then(
    (answer) => (one.answer = answer),
    () => early.delete(path),
  );
  early.set(path, one);
  setTimeout(() => early.delete(path), EARLY_MS);
}

/** When all that was asked for early has been answered, or takes too long to be waited for. */
export function earlyAnswers(): Promise<unknown> {
  const all = Promise.allSettled(Array.from(early.values(), ({ asked }) => asked));
  return Promise.race([all, new Promise((resolve) => setTimeout(resolve, EARLY_WAIT_MS))]);
}

/** What was asked for early and is here already; null where it is not. */
export function earlyAnswer(path: string): unknown {
  const answer = early.get(path)?.answer;
  if (answer === undefined) return null;
  early.delete(path);
  return answer;
}

/** Calls an endpoint of the api. @throws ApiError */
export async function call<const E extends Endpoint>(
  endpoint: E,
  sent: Sent<E>,
  signal?: AbortSignal,
): Promise<Answer<E>> {
  const path = urlOf(endpoint, sent);
  const asked = endpoint.method === 'GET' ? early.get(path)?.asked : undefined;
  if (asked !== undefined) {
    early.delete(path);
    return (await asked) as Answer<E>;
  }
  try {
    return await client.call(endpoint, sent, signal);
  } catch (error) {
    if (error instanceof ApiError && error.kind === 'unreachable') isOnline.set(false);
    throw error;
  }
}

/** Finds out who is signed in. Offline it stays the last person, who then sees the kept screens. */
export async function lookWho(): Promise<void> {
  try {
    who.set(await call(webSessionApi.show, {}));
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'unauthorized') throw error;
    who.set(null);
  }
}

export function wordsOf(error: unknown): string {
  if (error instanceof ApiError && error.kind === 'unreachable') return T.unreachable;
  return error instanceof Error ? error.message : String(error);
}
