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

/** What is used of BullMQ's Queue, whichever store it is on. */
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

/** What is used of BullMQ's Worker. */
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
    // Handlers can be taken up any number of times; a goal must not fail because its worker's machine is flaky.
    maxStalledCount: 1_000_000,
  };
}

/** The one place that knows which store the queue is on. */
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
  // Shared by all queues and workers, which would open pools of their own; BullMQ does not close a pool it was given.
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
  // The pool listens to idle connections only; one that breaks without a listener ends the process.
  pool.on('connect', (client) => client.on('error', () => undefined)); // who uses it is told
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
  // BullMQ describes a pool more narrowly than pg does, though it means this very class.
  const connection = pool as unknown as PostgresConnectionOptions;
  return {
    queue: (name) => new onPostgres.Queue(name, { connection }),
    worker: (name, process, concurrency) =>
      new onPostgres.Worker(name, process, { connection, concurrency, ...workerOptions(settings) }),
    close: () => pool.end(),
  };
}
