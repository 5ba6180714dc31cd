import { AishError } from '@aish/contracts/problems';
import { measured } from '@aish/telemetry';
import { Client, type QueryResultRow } from 'pg';
import { letGoOfVanished, nameOf, type LockNamespace } from './advisory-lock.js';
import { CONNECT_TIMEOUT_MS, type Database } from './client.js';

/** A lock that is held. `signal` aborts when it is lost. */
export interface HeldLock {
  readonly signal: AbortSignal;
  release(): Promise<void>;
}

/** The statements are named, so that the server parses and plans them once. */
const TRY = { name: 'try-lock', text: 'select pg_try_advisory_lock($1::int, hashtext($2)) as locked' };
const UNLOCK = { name: 'unlock', text: 'select pg_advisory_unlock($1::int, hashtext($2))' };
const BEAT = { text: 'select 1' };
const QUERY_TIMEOUT_MS = 5_000;
const HEARTBEAT_MS = 5_000;

/**
 * The advisory locks of one process, which share one connection. A lock costs one round trip and no connection of its
 * own, so it suits work that starts often and must start immediately. All locks are lost together with the connection.
 * `withAdvisoryLock` is the same for one lock. Both see each other's locks.
 */
export class SharedLocks {
  private readonly held = new Set<string>();
  private connecting: Promise<Connection> | null = null;
  private isClosed = false;

  constructor(
    private readonly db: Pick<Database, 'url'>,
    private readonly onError: (error: unknown) => void,
  ) {}

  /** Takes the lock, or returns null if somebody has it, including this process. It does not wait. */
  async tryHold(namespace: LockNamespace, key: string): Promise<HeldLock | null> {
    const name = `${namespace} ${key}`;
    if (this.isClosed) throw new AishError('service_stopping', 'The locks are closed');
    // Postgres would grant the lock twice to one connection.
    if (this.held.has(name)) return null;
    this.held.add(name);
    let connection: Connection;
    try {
      connection = await this.connection();
      const asked = performance.now();
      const [row] = await connection.query<{ locked: boolean }>(TRY, [namespace, key]);
      measured.lockWait.record((performance.now() - asked) / 1000, { namespace: nameOf(namespace) });
      if (row?.locked !== true) {
        this.held.delete(name);
        return null;
      }
    } catch (error) {
      this.held.delete(name);
      throw error;
    }
    let isReleased = false;
    return {
      signal: connection.lost.signal,
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        try {
          if (!connection.lost.signal.aborted) {
            await connection.query(UNLOCK, [namespace, key]);
          }
        } catch (error) {
          // The connection is broken, and the lock is lost with it.
          this.onError(error);
        } finally {
          this.held.delete(name);
        }
      },
    };
  }

  async close(): Promise<void> {
    this.isClosed = true;
    const connecting = this.connecting;
    if (connecting === null) return;
    const connection = await connecting.catch(() => null); // The caller that wanted a lock sees the error.
    clearInterval(connection?.heartbeat);
    await connection?.client.end();
  }

  private connection(): Promise<Connection> {
    this.connecting ??= this.open().catch((error: unknown) => {
      this.connecting = null;
      throw error;
    });
    return this.connecting;
  }

  private async open(): Promise<Connection> {
    const client = new Client({
      connectionString: this.db.url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'aish locks',
    });
    const lost = new AbortController();
    const lose = (cause?: unknown): void => {
      clearInterval(connection.heartbeat);
      if (this.isClosed || lost.signal.aborted) return;
      this.connecting = null;
      lost.abort(new AishError('lock_lost', 'The connection that held the locks was lost', {}, { cause }));
      if (cause !== undefined) this.onError(cause);
    };
    client.on('error', lose);
    client.on('end', () => lose());
    // These queries cannot fail by themselves, so the connection has failed, and all waiting queries fail with it.
    const giveUp = (cause: unknown): void => {
      lose(cause);
      client.end().catch(() => undefined); // The connection is broken, so a clean shutdown is impossible.
    };
    const connection: Connection = { client, lost, heartbeat: undefined, query: oneAtATime(client, giveUp) };
    try {
      await client.connect();
      await letGoOfVanished(client);
    } catch (error) {
      lost.abort(error); // A late end must not affect a newer connection.
      client.end().catch(() => undefined);
      throw error;
    }
    // A machine that was cut off does not see a broken socket, and must stop before the server gives its locks to
    // others.
    connection.heartbeat = setInterval(() => void connection.query(BEAT).catch(() => undefined), HEARTBEAT_MS);
    connection.heartbeat.unref();
    return connection;
  }
}

/** Sends the next query only after the previous answer, because `query_timeout` starts when a query is sent. */
function oneAtATime(client: Client, onError: (error: unknown) => void): Connection['query'] {
  let before: Promise<unknown> = Promise.resolve();
  return <T extends QueryResultRow>(statement: Statement, values: unknown[] = []) => {
    const answer = before.then(async () => (await client.query<T>({ ...statement, values })).rows);
    before = answer.catch(onError);
    return answer;
  };
}

interface Statement {
  readonly name?: string;
  readonly text: string;
}

interface Connection {
  readonly client: Client;
  readonly query: <T extends QueryResultRow>(statement: Statement, values?: unknown[]) => Promise<T[]>;
  readonly lost: AbortController;
  heartbeat: NodeJS.Timeout | undefined;
}
