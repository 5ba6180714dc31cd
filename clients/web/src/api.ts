import type { WebSession } from '@aish/contracts/web';
import { apiUrl } from './base.js';
import { Store } from './store.js';

/** Who is signed in; null for nobody, undefined until that is known. */
export const who = new Store<WebSession | null | undefined>(undefined);
export const isOnline = new Store(true);

/** What the api said it could not do, or that it was not reached (`unreachable`). */
export class Problem extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

interface Asked {
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

const TIMEOUT_MS = 60_000;
/** After that an answer says nothing of now. */
const EARLY_MS = 3_000;
/** To draw once, with what there is to draw, is worth so much. */
const EARLY_WAIT_MS = 300;

interface Early {
  readonly asked: Promise<unknown>;
  answer?: unknown;
}
const early = new Map<string, Early>();

/**
 * Asks for what the first screen will ask for, while it is not known yet who is signed in. Each answer is good once.
 * @returns when all have answered, or one takes too long to be waited for
 */
export function askEarly(paths: readonly string[]): Promise<unknown> {
  const all = paths.map(async (path) => {
    const one: Early = { asked: ask('GET', path) };
    early.set(path, one);
    try {
      one.answer = await one.asked;
    } catch {
      early.delete(path);
    }
  });
  setTimeout(() => early.clear(), EARLY_MS);
  return Promise.race([Promise.all(all), new Promise((resolve) => setTimeout(resolve, EARLY_WAIT_MS))]);
}

/** What was asked for early and is here already; null where it is not. */
export function earlyAnswer(path: string): unknown {
  const answer = early.get(path)?.answer;
  if (answer === undefined) return null;
  early.delete(path);
  return answer;
}

/** Asks the api. @throws Problem */
export async function ask<T>(method: string, path: string, { body, signal }: Asked = {}): Promise<T> {
  const asked = method === 'GET' ? early.get(path)?.asked : undefined;
  if (asked !== undefined) {
    early.delete(path);
    return (await asked) as T;
  }
  const response = await send(method, path, { body, signal });
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

/** The same with an answer that is a stream or a file. @throws Problem */
export async function send(method: string, path: string, { body, signal }: Asked = {}): Promise<Response> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  const session = who.get();
  let response: Response;
  try {
    response = await fetch(apiUrl(path, location.href), {
      method,
      cache: 'no-store',
      signal: signal === undefined ? timeout : AbortSignal.any([timeout, signal]),
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(method === 'GET' || !session ? {} : { 'x-aish-csrf': session.csrf }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    isOnline.set(false);
    throw new Problem('unreachable', 0, 'aish does not answer');
  }
  isOnline.set(response.headers.get('x-aish-seen') === null);
  if (response.ok) return response;
  throw await problemOf(response);
}

async function problemOf(response: Response): Promise<Problem> {
  const said: { code?: string; detail?: string; title?: string } = await response.json().catch(() => ({}));
  const problem = new Problem(
    said.code ?? 'internal',
    response.status,
    said.detail ?? said.title ?? `aish answered with ${response.status}`,
  );
  if (problem.code === 'unauthorized' && who.get()) who.set(null);
  return problem;
}

/** Looks who is signed in. Offline it is whoever was, who then sees what was seen. */
export async function lookWho(): Promise<void> {
  try {
    who.set(await ask<WebSession>('GET', '/v1/web/session'));
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error;
    who.set(null);
  }
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
