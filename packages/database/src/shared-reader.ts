import type { Pool, PoolClient, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { inOneWrite } from './one-write.js';

/**
 * One connection of a pool that all quick reads of a process share: what is asked goes out at once behind what was asked
 * before, so a burst of reads waits for one round trip and not for free connections. Reads only: a statement that waits
 * for somebody's row would keep all the others waiting.
 */
export class SharedReader {
  private connecting: Promise<PoolClient> | null = null;

  constructor(private readonly pool: Pool) {}

  /** Nothing is tried again. A connection that broke is replaced for the next read. */
  async query<Row extends QueryResultRow>(config: QueryConfig): Promise<QueryResult<Row>> {
    const client = await (this.connecting ??= this.connect());
    inOneWrite(client);
    return client.query<Row>(config);
  }

  /** Gives the connection back once what was asked is answered. */
  async close(): Promise<void> {
    const connecting = this.connecting;
    if (connecting === null) return;
    try {
      const client = await connecting;
      await client.query('select 1');
      if (this.connecting === connecting) client.release();
    } catch {
      // It broke, and was given back then.
    } finally {
      this.connecting = null;
    }
  }

  private connect(): Promise<PoolClient> {
    const connecting = this.pool.connect().then(
      (client) => {
        const lose = (error?: Error): void => {
          if (this.connecting !== connecting) return;
          this.connecting = null;
          client.release(error ?? true);
        };
        client.on('error', lose);
        client.on('end', () => lose());
        return client;
      },
      (error: unknown) => {
        this.connecting = null;
        throw error;
      },
    );
    return connecting;
  }
}
