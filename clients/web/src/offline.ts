import { decisionsApi } from '@aish/contracts/endpoints/decisions';
import type { Decision, GiveVerdict } from '@aish/contracts/decisions';
import type { Timeline } from '@aish/views/entries';
import { ApiError } from '@aish/client/api.error';
import { call, who } from './api.js';
import { keepDraft } from './drafts.js';
import { Store } from './store.js';

/**
 * The store for everything that the person has seen. The service worker also stores the api's answers here. It is
 * emptied when the session ends.
 */
const SEEN = 'aish-seen';
const VERDICTS = 'aish-verdicts';
const ENTRIES_KEPT = 200;

/** A verdict that waits for the connection, with its decision. */
export interface KeptVerdict {
  readonly decision: Pick<Decision, 'id' | 'number' | 'version' | 'action'>;
  readonly given: GiveVerdict;
}
export const keptVerdicts = new Store<readonly KeptVerdict[]>(readKept());
export const refusedVerdict = new Store<string | null>(null);

/** Stores a timeline for the signed-in person. A screen that closes because its session ended stores nothing. */
export async function keepTimeline(session: string, timeline: Timeline): Promise<void> {
  if (!('caches' in globalThis) || !who.get()) return;
  const entries = timeline.entries.slice(-ENTRIES_KEPT);
  const kept = { entries, dropped: timeline.dropped + timeline.entries.length - entries.length };
  const cache = await caches.open(SEEN);
  await cache.put(`seen/${session}`, new Response(JSON.stringify(kept)));
}

export async function keptTimeline(session: string): Promise<Timeline | null> {
  if (!('caches' in globalThis)) return null;
  const found = await caches.match(`seen/${session}`);
  return found === undefined ? null : ((await found.json()) as Timeline);
}

/** Withdraws a verdict before it is sent. Its text is in the boxes again, also in a tab that did not write it. */
export function takeVerdictBack(kept: KeptVerdict): void {
  keepText(kept);
  store(keptVerdicts.get().filter(({ decision }) => decision.id !== kept.decision.id));
}

/** Stores the text of a verdict as the drafts of its card. */
function keepText({ decision: { id }, given }: KeptVerdict): void {
  const values = Object.values(given.answer ?? {});
  const [first] = values;
  const fields = values.length === 0 ? '' : JSON.stringify(given.answer);
  const answer = values.length === 1 && typeof first === 'string' ? first : fields;
  keepDraft(`note ${id}`, given.message ?? answer);
  keepDraft(`edit ${id}`, given.command ?? '');
}

/** Stores a verdict that could not be sent, for exactly the version of the decision that was shown. */
export function keepVerdict(kept: KeptVerdict): void {
  const others = keptVerdicts.get().filter(({ decision }) => decision.id !== kept.decision.id);
  store([...others, kept]);
}

let sending: Promise<void> | null = null;
const sent = new Set<string>();

/** Returns whether a waiting verdict of this page was sent, and ended its decision. */
export function wasSent(decisionId: string): boolean {
  return sent.has(decisionId);
}

/** Sends the waiting verdicts. Each verdict is sent until the api answers, and never again after that. */
export function sendKeptVerdicts(): Promise<void> {
  sending ??= sendAll().finally(() => {
    sending = null;
  });
  return sending;
}

async function sendAll(): Promise<void> {
  for (const kept of keptVerdicts.get()) {
    const { decision, given } = kept;
    try {
      const { state } = await call(decisionsApi.decide, { params: { ref: decision.id }, body: given });
      if (state !== 'pending') sent.add(decision.id);
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind === 'unreachable') return;
      keepText(kept);
      refusedVerdict.set(`d${decision.number}: ${error.message}`);
    }
    store(keptVerdicts.get().filter((each) => each.decision.id !== decision.id));
  }
}

/**
 * Removes everything that the person of a session has seen, even if the session ended elsewhere, because the next
 * person may be someone else.
 */
export async function forgetAll(): Promise<void> {
  store([]);
  if ('caches' in globalThis) for (const name of await caches.keys()) await caches.delete(name);
  if (!('serviceWorker' in navigator)) return;
  for (const registration of await navigator.serviceWorker.getRegistrations()) await registration.unregister();
}

function store(verdicts: readonly KeptVerdict[]): void {
  localStorage.setItem(VERDICTS, JSON.stringify(verdicts));
  keptVerdicts.set(verdicts);
}

function readKept(): readonly KeptVerdict[] {
  try {
    return JSON.parse(localStorage.getItem(VERDICTS) ?? '[]') as readonly KeptVerdict[];
  } catch {
    return [];
  }
}
