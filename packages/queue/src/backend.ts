import {
  Queue,
  Worker,
  createPostgresBackend,
  runMigrations,
  withBackend,
  type Job,
  type JobSchedulerTemplateOptions,
  type JobsOptions,
  type PostgresConnectionOptions,
  type WorkerOptions,
} from 'bullmq';
import { Pool } from 'pg';
import { RedisConnections } from './redis-connections.js';
import { CONNECT_TIMEOUT_MS, JOB_RECOVERY, type StoreOptions } from './store-options.js';

/** The part of BullMQ's Queue that aish uses, with either store. */
export interface JobQueue {
  add(name: string, data: unknown, options: JobsOptions): Promise<unknown>;
  upsertJobScheduler(
    id: string,
    repeat: { readonly pattern: string; readonly tz: string },
    template: { readonly name: string; readonly data: unknown; readonly opts: JobSchedulerTemplateOptions },
  ): Promise<unknown>;
  removeJobScheduler(id: string): Promise<boolean>;
  getJobCounts(
    ...types: ('waiting' | 'prioritized' | 'active' | 'delayed' | 'failed')[]
  ): Promise<Record<string, number>>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** The part of BullMQ's Worker that aish uses. */
export interface JobWorker {
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'failed', listener: (job: unknown, error: Error) => void): unknown;
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
}

type Process = (job: Job, token: string | undefined, signal: AbortSignal | undefined) => Promise<void>;

export interface Backend {
  queue(name: string): JobQueue;
  worker(name: string, process: Process, concurrency: number): JobWorker;
  close(): Promise<void>;
}

const SCHEMA = 'bullmq';

function workerOptions({ recovery = JOB_RECOVERY }: StoreOptions): Omit<WorkerOptions, 'connection'> {
  return {
    lockDuration: recovery.lockMs,
    stalledInterval: recovery.checkEveryMs,
    // A job may be taken up any number of times, because a goal must not fail when a worker's machine is unreliable.
    maxStalledCount: 1_000_000,
  };
}

/** Opens the store of the queue. Only this function knows which store is used. */
export function openBackend(settings: StoreOptions): Promise<Backend> {
  return settings.redisUrl === undefined ? openPostgres(settings) : openRedis(settings.redisUrl, settings);
}

async function openRedis(url: string, settings: StoreOptions): Promise<Backend> {
  return {
    queue: (name) => {
      const connections = new RedisConnections(url, settings);
      const queue = new Queue(name, { connection: connections.client });
      const close = queue.close.bind(queue);
      return Object.assign(queue, { close: () => connections.close(close) });
    },
    worker: (name, process, concurrency) => {
      const connections = new RedisConnections(url, settings);
      const options = { connection: connections.client, concurrency, ...workerOptions(settings) };
      const worker = new Worker(name, process, options);
      const close = worker.close.bind(worker);
      return Object.assign(worker, { close: (force?: boolean) => connections.close(() => close(force)) });
    },
    close: async () => undefined,
  };
}

async function openPostgres(settings: StoreOptions): Promise<Backend> {
  const { databaseUrl, onError } = settings;
  // All queues and workers share this pool. Otherwise they would open pools of their own. BullMQ does not close a pool
  // that it was given.
  const pool = new Pool({
    connectionString: databaseUrl,
    max: 6,
    application_name: 'aish queue',
    options: `-c search_path=${SCHEMA},public`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    query_timeout: 30_000,
  });
  pool.on('error', (error) => onError?.(error));
  // The pool listens only to idle connections. Without a listener, a broken connection would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined)); // The user of the connection gets the error.
  try {
    const client = await pool.connect();
    try {
      await runMigrations(client, SCHEMA);
    } finally {
      client.release();
    }
  } catch (error) {
    await pool.end();
    throw error;
  }
  const onPostgres = withBackend(createPostgresBackend);
  // BullMQ's type for a pool is narrower than pg's, but BullMQ accepts this class.
  const connection = pool as unknown as PostgresConnectionOptions;
  return {
    queue: (name) => new onPostgres.Queue(name, { connection }),
    worker: (name, process, concurrency) =>
      new onPostgres.Worker(name, process, { connection, concurrency, ...workerOptions(settings) }),
    close: () => pool.end(),
  };
}
