import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Pool } from 'pg';
import type { Channel, ChannelEvents } from './channel.js';
import { CONNECT_TIMEOUT_MS, reconnectDelayMs } from './store-options.js';

const CHANNEL = 'aish_notices';
const SEND_TIMEOUT_MS = 5_000;
const HEARTBEAT_MS = 15_000;
/** Number of texts per statement. Each has up to 8000 bytes. */
const AT_ONCE_MAX = 100;

/** Opens a bus over Postgres LISTEN/NOTIFY. Listening needs a permanent connection, so the bus has its own. */
export async function openPostgresBus(url: string, events: ChannelEvents): Promise<Channel> {
  // There is only one connection, so that notices stay in order.
  const pool = new Pool({
    connectionString: url,
    max: 1,
    application_name: 'aish bus (send)',
    connectionTimeoutMillis: SEND_TIMEOUT_MS,
    query_timeout: SEND_TIMEOUT_MS,
    keepAlive: true,
    // A notice is a transaction of its own. If a server crash loses one, no data is lost, because the notice's rows are
    // committed. So nobody needs to wait for the disk here.
    options: '-c synchronous_commit=off',
  });
  pool.on('error', events.onError);
  const listener = new Listener(url, events);
  try {
    await listener.start();
  } catch (error) {
    await pool.end();
    throw error;
  }
  const sender = new Sender(async (texts) => {
    await pool.query({
      name: 'notify',
      text: 'select pg_notify($1, text) from unnest($2::text[]) with ordinality as told(text, n) order by n',
      values: [CHANNEL, texts],
    });
  });
  return {
    send: (texts) => sender.send(texts),
    close: async () => {
      await listener.stop();
      await pool.end();
    },
  };
}

/** Sends texts in order. Texts that arrive during a send are sent together afterwards. */
class Sender {
  private readonly waiting: { readonly text: string; readonly sent: (error?: unknown) => void }[] = [];
  private isSending = false;

  constructor(private readonly notify: (texts: readonly string[]) => Promise<void>) {}

  async send(texts: readonly string[]): Promise<void> {
    const sent = texts.map(
      (text) =>
        new Promise<void>((resolve, reject) => {
          this.waiting.push({ text, sent: (error) => (error === undefined ? resolve() : reject(error)) });
        }),
    );
    if (!this.isSending) void this.sendWaiting();
    await Promise.all(sent);
  }

  private async sendWaiting(): Promise<void> {
    this.isSending = true;
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, distinct(this.waiting.map(({ text }) => text)));
      try {
        await this.notify(batch.map(({ text }) => text));
        for (const { sent } of batch) sent();
      } catch (error) {
        for (const { sent } of batch) sent(error);
      }
    }
    this.isSending = false;
  }
}

/**
 * Returns how many of the first texts can be sent at once, because Postgres delivers equal texts only once per
 * transaction.
 */
function distinct(texts: readonly string[]): number {
  const again = texts.findIndex((text, n) => n === AT_ONCE_MAX || texts.indexOf(text) < n);
  return again === -1 ? texts.length : again;
}

interface Connection {
  readonly client: Client;
  /** Resolves when the connection is lost. */
  readonly lost: Promise<void>;
}

/** Listens permanently. It reconnects after a lost connection, and then reports that notices may be missing. */
class Listener {
  private readonly stopping = new AbortController();
  private current: Connection | null = null;
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string,
    private readonly events: ChannelEvents,
  ) {}

  async start(): Promise<void> {
    this.current = await this.connect();
    this.running = this.keepListening();
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.current?.client.end().catch(this.events.onError);
    await this.running;
  }

  private async keepListening(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.current?.lost;
      this.current = await this.reconnect();
      if (this.current !== null) this.events.onGap();
    }
  }

  /** Reconnects; null if the bus was stopped. */
  private async reconnect(): Promise<Connection | null> {
    for (let attempt = 1; !this.stopping.signal.aborted; attempt += 1) {
      const delay = sleep(reconnectDelayMs(attempt), true, { signal: this.stopping.signal }).catch(() => false);
      if (!(await delay)) return null;
      try {
        const connection = await this.connect();
        if (!this.stopping.signal.aborted) return connection;
        await connection.client.end();
      } catch (error) {
        this.events.onError(error);
      }
    }
    return null;
  }

  private async connect(): Promise<Connection> {
    const client = new Client({
      connectionString: this.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    client.on('error', (error) => {
      if (!this.stopping.signal.aborted) this.events.onError(error);
    });
    client.on('notification', ({ payload }) => this.events.onText(payload ?? ''));
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    try {
      await client.connect();
      await client.query("select set_config('application_name', 'aish bus (listen)', false)");
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      await client.end().catch(this.events.onError);
      throw error;
    }
    return { client, lost: this.untilLost(client, ended) };
  }

  /**
   * Waits until the connection is lost. A listener sends nothing, so only a query shows that the other side has
   * vanished.
   */
  private async untilLost(client: Client, ended: Promise<void>): Promise<void> {
    const over = new AbortController();
    void ended.then(() => over.abort());
    try {
      while (!over.signal.aborted) {
        await sleep(HEARTBEAT_MS, undefined, { signal: over.signal, ref: false });
        await client.query('select 1');
      }
    } catch (error) {
      if (over.signal.aborted) return;
      this.events.onError(error);
      await client.end().catch(this.events.onError);
    }
  }
}
