import type { Notice } from '@aish/contracts';
import pg from 'pg';
import type { EventBus } from './store.js';
import { Subscribers } from './subscribers.js';

const CHANNEL = 'aish';
/** Postgres takes 8 000 bytes in one NOTIFY. */
const MAX_BYTES = 7_500;
const RECONNECT_MIN_MS = 100;
const RECONNECT_MAX_MS = 5_000;

/** The event bus on LISTEN/NOTIFY: one connection listens, a small pool notifies. */
export class PostgresBus implements EventBus {
  private listener: pg.Client | null = null;
  private retry: NodeJS.Timeout | null = null;
  private closed = false;

  private constructor(
    private readonly url: string,
    private readonly pool: pg.Pool,
    private readonly subscribers: Subscribers,
    private readonly onError: (error: unknown) => void,
  ) {}

  static async open(url: string, onError: (error: unknown) => void): Promise<PostgresBus> {
    const pool = new pg.Pool({
      connectionString: url,
      max: 2,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: 'aish-bus',
    });
    pool.on('error', onError);
    const bus = new PostgresBus(url, pool, new Subscribers(onError), onError);
    await bus.listen();
    return bus;
  }

  async publish(notice: Notice): Promise<void> {
    for (const part of fitting(notice)) {
      await this.pool.query('select pg_notify($1, $2)', [CHANNEL, JSON.stringify(part)]);
    }
  }

  async subscribe(handler: (notice: Notice) => void, onGap?: () => void): Promise<() => Promise<void>> {
    const remove = this.subscribers.add(handler, onGap);
    return async () => remove();
  }

  async close(): Promise<void> {
    this.closed = true;
    if (this.retry !== null) clearTimeout(this.retry);
    await this.listener?.end();
    await this.pool.end();
  }

  private async listen(): Promise<void> {
    const client = new pg.Client({
      connectionString: this.url,
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      application_name: 'aish-bus',
    });
    client.on('error', this.onError);
    client.on('notification', ({ payload }) => this.subscribers.deliver(payload ?? ''));
    client.on('end', () => this.reconnect(RECONNECT_MIN_MS));
    this.listener = client;
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
  }

  private reconnect(pauseMs: number): void {
    if (this.closed || this.retry !== null) return;
    this.retry = setTimeout(() => {
      this.retry = null;
      this.listen()
        .then(() => this.subscribers.gap())
        .catch((error: unknown) => {
          this.onError(error);
          this.reconnect(Math.min(pauseMs * 2, RECONNECT_MAX_MS));
        });
    }, pauseMs);
  }
}

/** Live text is split over several notices where it is too long for one; nothing else is ever that long. */
function fitting(notice: Notice): readonly Notice[] {
  if (notice.type !== 'live' || Buffer.byteLength(JSON.stringify(notice)) <= MAX_BYTES) return [notice];
  const characters = Array.from(notice.body.text);
  const half = Math.ceil(characters.length / 2);
  const part = (text: string): Notice => ({ ...notice, body: { ...notice.body, text } });
  return [...fitting(part(characters.slice(0, half).join(''))), ...fitting(part(characters.slice(half).join('')))];
}
