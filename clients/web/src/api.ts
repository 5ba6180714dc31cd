import { ApiError } from '@aish/client/api.error';
import { HttpClient } from '@aish/client/http.client';
import { urlOf, type Answer, type Endpoint, type Sent } from '@aish/contracts/endpoint';
import { webSessionApi } from '@aish/contracts/endpoints/sign-in';
import type { WebSession } from '@aish/contracts/web';
import { apiBase } from './base.js';
import { Store } from './store.js';
import { T } from './texts.js';

/** The signed-in person. The value is null if nobody is signed in, and undefined until that is known. */
export const who = new Store<WebSession | null | undefined>(undefined);
export const isOnline = new Store(true);

const TIMEOUT_MS = 60_000;
/** A prefetched answer is too old after this time. */
const EARLY_MS = 3_000;
/** The page waits this long for prefetched answers, so that it can draw once with its content. */
const EARLY_WAIT_MS = 300;

/**
 * Sends requests to the api. The browser sends the cookie by itself. Requests that change something also send the
 * session's CSRF token.
 */
export const client = new HttpClient({
  baseUrl: apiBase(location.href),
  timeoutMs: TIMEOUT_MS,
  credentials: async ({ method = 'GET' }) => {
    const session = who.get();
    return method === 'GET' || !session ? {} : { 'x-aish-csrf': session.csrf };
  },
  fetch: async (url, init) => {
    const before = who.get();
    let response = await fetch(url, { ...init, cache: 'no-store' });
    if (response.status === 403 && init?.method !== 'GET' && before) {
      // Another tab may have signed in since, so the proof of this tab belongs to an old session.
      await lookWho().catch(() => undefined);
      const now = who.get();
      const headers = { ...(init?.headers as Record<string, string> | undefined), 'x-aish-csrf': now?.csrf ?? '' };
      const isSamePerson = now?.owner === before.owner && now.csrf !== before.csrf;
      if (isSamePerson) response = await fetch(url, { ...init, headers, cache: 'no-store' });
    }
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

/** Prefetches an answer for the first screen, before it is known who is signed in. Each answer is used once. */
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

/** Resolves when all prefetched answers have arrived, or when they take too long. */
export function earlyAnswers(): Promise<unknown> {
  const all = Promise.allSettled(Array.from(early.values(), ({ asked }) => asked));
  return Promise.race([all, new Promise((resolve) => setTimeout(resolve, EARLY_WAIT_MS))]);
}

/** Returns a prefetched answer that has already arrived, or null. */
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

/** Finds out who is signed in. Offline the last person stays signed in and sees the stored screens. */
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
