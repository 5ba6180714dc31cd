import { Redis } from 'ioredis';
import type { Channel, ChannelEvents } from './channel.js';
import { CONNECT_TIMEOUT_MS, redisOptions, type StoreOptions } from './store-options.js';

const SEND_TIMEOUT_MS = 5_000;

/**
 * Opens a bus over Redis publish/subscribe. It has two connections, because a subscribed connection can do nothing
 * else.
 */
export async function openRedisBus(
  url: string,
  settings: Pick<StoreOptions, 'redisSentinels'>,
  events: ChannelEvents,
): Promise<Channel> {
  const options = { ...redisOptions(settings), keepAlive: 10_000 };
  const publisher = new Redis(url, { ...options, commandTimeout: SEND_TIMEOUT_MS, maxRetriesPerRequest: 2 });
  const subscriber = new Redis(url, { ...options, maxRetriesPerRequest: null });
  for (const connection of [publisher, subscriber]) connection.on('error', events.onError);
  // Publish/subscribe ignores databases. The number separates installations on one server, as for the queue.
  const name = `aish:${publisher.options.db ?? 0}:notices`;
  subscriber.on('message', (_channel, text) => events.onText(text));
  try {
    await withTimeout(subscriber.subscribe(name));
  } catch (error) {
    publisher.disconnect();
    subscriber.disconnect();
    throw error;
  }
  // ioredis subscribes again after a reconnect. Notices in between are lost.
  let away = false;
  subscriber.on('close', () => (away = true));
  subscriber.on('ready', () => {
    if (!away) return;
    away = false;
    subscriber.subscribe(name).then(events.onGap, events.onError);
  });
  return {
    send: async (texts) => {
      await Promise.all(texts.map((text) => publisher.publish(name, text)));
    },
    close: async () => {
      publisher.disconnect();
      subscriber.disconnect();
    },
  };
}

function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`Redis did not answer within ${CONNECT_TIMEOUT_MS} ms`));
    const timer = setTimeout(late, CONNECT_TIMEOUT_MS);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
