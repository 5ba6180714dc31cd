import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { reconnectDelayMs, redisOptions, type StoreOptions } from './store-options.js';

const CLOSE_TIMEOUT_MS = 3_000;

/**
 * The connections to Redis of one queue or worker of BullMQ, which can be closed at any moment.
 *
 * BullMQ alone waits without an end if Redis is away then: ioredis says nothing of a connection that is told to
 * disconnect between two attempts to connect.
 */
export class RedisConnections {
  /** The one that BullMQ is given; it copies it for what blocks. */
  readonly client: Redis;
  private readonly all: Redis[] = [];
  private isClosing = false;

  constructor(url: string, settings: StoreOptions) {
    const options = {
      ...redisOptions(settings),
      // Workers wait for Redis to come back; callers that add a job have their own timeout.
      maxRetriesPerRequest: null,
      retryStrategy: (attempt: number) => (this.isClosing ? null : reconnectDelayMs(attempt)),
    };
    this.client = this.keep(new Redis(url, options));
    const duplicate = this.client.duplicate.bind(this.client);
    this.client.duplicate = (override) => this.keep(duplicate(override));
  }

  /** Closes what uses the connections, within 3 s, then the connections. */
  async close(close: () => Promise<void>): Promise<void> {
    this.isClosing = true;
    // The attempt that each of them waits for is made now, and is the last one. What comes of it is told as events.
    for (const client of this.all) if (client.status === 'reconnecting') client.connect().catch(() => undefined);
    const inTime = new AbortController();
    const late = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: inTime.signal }).catch(() => undefined);
    try {
      await Promise.race([close(), late]);
    } finally {
      inTime.abort();
      for (const client of this.all) client.disconnect();
    }
  }

  private keep(client: Redis): Redis {
    this.all.push(client);
    return client;
  }
}
