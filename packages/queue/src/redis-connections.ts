import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { reconnectDelayMs, redisOptions, type StoreOptions } from './store-options.js';

const CLOSE_TIMEOUT_MS = 3_000;

/**
 * The Redis connections of one BullMQ queue or worker. They can be closed at any moment.
 *
 * BullMQ alone waits without limit if Redis is unavailable when it closes: ioredis reports nothing about a connection
 * that is told to disconnect between two connection attempts.
 */
export class RedisConnections {
  /** The connection for BullMQ, which copies it for blocking calls. */
  readonly client: Redis;
  private readonly all: Redis[] = [];
  private isClosing = false;

  constructor(url: string, settings: StoreOptions) {
    const options = {
      ...redisOptions(settings),
      // Workers wait until Redis returns. Callers that add a job have their own timeout.
      maxRetriesPerRequest: null,
      retryStrategy: (attempt: number) => (this.isClosing ? null : reconnectDelayMs(attempt)),
    };
    this.client = this.keep(new Redis(url, options));
    const duplicate = this.client.duplicate.bind(this.client);
    this.client.duplicate = (override) => this.keep(duplicate(override));
  }

  /** Closes the users of the connections, within 3 s, and then the connections. */
  async close(close: () => Promise<void>): Promise<void> {
    this.isClosing = true;
    // Each waiting connection now makes its last attempt. Events report the result.
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
