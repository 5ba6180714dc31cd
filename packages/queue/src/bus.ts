import { PostgresBus } from './postgres.bus.js';
import { RedisBus } from './redis.bus.js';
import type { EventBus, StoreOptions } from './store.js';

/** Opens the event bus: Redis pub/sub, or LISTEN/NOTIFY of Postgres. */
export function openBus({ redisUrl, databaseUrl, onError = () => undefined }: StoreOptions): Promise<EventBus> {
  return redisUrl === undefined ? PostgresBus.open(databaseUrl, onError) : RedisBus.open(redisUrl, onError);
}
