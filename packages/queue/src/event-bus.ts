import { Notice } from '@aish/contracts/events';
import { invariant } from '@aish/contracts/invariant';
import type { ChannelEvents } from './channel.js';
import { openPostgresBus } from './postgres.bus.js';
import { openRedisBus } from './redis.bus.js';
import type { StoreOptions } from './store-options.js';

export interface EventBus {
  /**
   * Publishes a notice to all subscribers in all processes, including this one, in the order of the calls. It never
   * rejects: `onError` reports a notice that cannot be sent. A subscriber that missed a notice finds everything in the
   * database.
   */
  publish(notice: Notice): Promise<void>;
  /**
   * Subscribes to notices. Resolves once subscribed, so that no later notice is missed.
   *
   * @param onGap called when notices may have been missed during a lost connection; then read the database again.
   * @returns a function that unsubscribes.
   */
  subscribe(handler: (notice: Notice) => void, onGap?: () => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

/**
 * The maximum size of a notice. NOTIFY accepts less than 8000 bytes. Redis accepts more, but both stores should behave
 * alike.
 */
const NOTICE_MAX_BYTES = 7_500;
const PENDING_MAX = 1_000;

/** Opens the event bus. It listens from the start, so a subscription needs no connection of its own. */
export async function openBus(settings: StoreOptions): Promise<EventBus> {
  const subscribers = new Set<Subscriber>();
  const onError = settings.onError ?? (() => undefined);
  const events: ChannelEvents = {
    onText: (text) => deliver(text, subscribers, onError),
    onGap: () => {
      for (const { onGap } of subscribers) attempt(() => onGap?.(), onError);
    },
    onError,
  };
  const channel = await (settings.redisUrl === undefined
    ? openPostgresBus(settings.databaseUrl, events)
    : openRedisBus(settings.redisUrl, settings, events));
  let pending = 0;
  let closing: Promise<void> | undefined;
  return {
    publish: async (notice) => {
      if (pending >= PENDING_MAX)
        return onError(new Error(`${pending} notices are already waiting; this one is dropped`));
      pending += 1;
      try {
        await channel.send(textsOf(notice));
      } catch (error) {
        onError(error);
      } finally {
        pending -= 1;
      }
    },
    subscribe: async (handler, onGap) => {
      const subscriber: Subscriber = { handler, onGap };
      subscribers.add(subscriber);
      return async () => void subscribers.delete(subscriber);
    },
    close: () => {
      subscribers.clear();
      return (closing ??= channel.close());
    },
  };
}

/** Returns the texts of a notice. The receiver validates the notice. */
function textsOf(notice: Notice): readonly string[] {
  const text = JSON.stringify(notice);
  if (Buffer.byteLength(text) <= NOTICE_MAX_BYTES) return [text];
  return splitNotice(notice).map((part) => JSON.stringify(part));
}

/** Splits the text of a live notice that is too large for one message, without splitting characters. */
export function splitNotice(notice: Notice, maxBytes: number = NOTICE_MAX_BYTES): readonly Notice[] {
  if (Buffer.byteLength(JSON.stringify(notice)) <= maxBytes) return [notice];
  invariant(notice.type === 'live', `a notice of type ${notice.type} has no more than ${maxBytes} bytes`);
  const { body } = notice;
  const text = 'text' in body ? body.text : '';
  invariant(
    'text' in body && text.length >= 2,
    `a live notice without a text to cut has no more than ${maxBytes} bytes`,
  );
  const half = Math.floor(text.length / 2);
  const inPair = /[\uD800-\uDBFF]/.test(text.charAt(half - 1)) && /[\uDC00-\uDFFF]/.test(text.charAt(half));
  const cut = inPair && half > 1 ? half - 1 : inPair ? half + 1 : half;
  return [text.slice(0, cut), text.slice(cut)]
    .filter((part) => part !== '')
    .flatMap((part) => splitNotice({ ...notice, body: { ...body, text: part } }, maxBytes));
}

interface Subscriber {
  readonly handler: (notice: Notice) => void;
  readonly onGap: (() => void) | undefined;
}

function deliver(text: string, subscribers: ReadonlySet<Subscriber>, onError: (error: unknown) => void): void {
  let notice: Notice;
  try {
    notice = Notice.parse(JSON.parse(text));
  } catch (cause) {
    onError(new Error('A notice on the event bus could not be read and was dropped', { cause }));
    return;
  }
  for (const { handler } of subscribers) attempt(() => handler(notice), onError);
}

function attempt(fn: () => void, onError: (error: unknown) => void): void {
  try {
    fn();
  } catch (error) {
    onError(error);
  }
}
