import { advanceGoal } from '@aish/contracts';
import { Queue, UnrecoverableError, Worker, type IQueueBackend, type BackendFactory } from 'bullmq';
import { createPostgresBackend, runMigrations } from 'bullmq';
import pg from 'pg';
import type { z } from 'zod';
import { redisConnection } from './redis.js';
import type { AddOptions, JobDeclaration, QueueStore, QueueWorker, StoreOptions } from './store.js';

const SCHEMA = 'bullmq';
/** A killed worker's job is another's after about this long. */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;
const KEEP_FAILED = 1_000;
const POOL_MAX = 4;

interface Backend {
  readonly connection: object;
  readonly factory: BackendFactory<IQueueBackend, object> | undefined;
}

/**
 * Opens the queue: BullMQ on Redis, or on its PostgreSQL backend, whose tables (schema `bullmq`) it makes first.
 * @throws what connecting throws.
 */
export async function openQueue(options: StoreOptions): Promise<QueueStore> {
  if (options.redisUrl === undefined) await migrate(options.databaseUrl);
  return new BullQueue(backendOf(options), options.onError ?? (() => undefined));
}

function backendOf({ redisUrl, databaseUrl }: StoreOptions): Backend {
  if (redisUrl !== undefined) return { connection: redisConnection(redisUrl), factory: undefined };
  return {
    connection: { connectionString: databaseUrl, schema: SCHEMA, max: POOL_MAX, keepAlive: true },
    factory: createPostgresBackend as unknown as BackendFactory<IQueueBackend, object>,
  };
}

async function migrate(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await runMigrations(client, SCHEMA);
  } finally {
    await client.end();
  }
}

class BullQueue implements QueueStore {
  private readonly queues = new Map<string, Queue>();
  private readonly workers = new Set<QueueWorker>();

  constructor(
    private readonly backend: Backend,
    private readonly onError: (error: unknown) => void,
  ) {}

  async add<P extends z.ZodType>(job: JobDeclaration<P>, payload: z.input<P>, options: AddOptions = {}): Promise<void> {
    const data = job.payload.parse(payload);
    await this.queue(job.queue).add(job.name, data, {
      // The handler's work can be taken up anywhere; trying again is the sweeper's, not the queue's.
      attempts: 1,
      removeOnComplete: true,
      removeOnFail: options.once === undefined ? { count: KEEP_FAILED } : true,
      ...(options.delayMs === undefined ? {} : { delay: options.delayMs }),
      ...(options.once === undefined ? {} : { jobId: options.once }),
    });
  }

  work<P extends z.ZodType>(
    job: JobDeclaration<P>,
    handler: (payload: z.output<P>, signal: AbortSignal) => Promise<void>,
    { concurrency }: { readonly concurrency: number },
  ): QueueWorker {
    const stopping = new AbortController();
    const options = {
      connection: this.backend.connection,
      concurrency,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      // A job whose worker died is handed on however often that happens.
      maxStalledCount: 1_000_000,
    };
    const worker = new Worker(
      job.queue,
      async ({ data, name }, _token, signal) => {
        if (name !== job.name) throw new UnrecoverableError(`queue ${job.queue}: nobody here handles ${name}`);
        const parsed = job.payload.safeParse(data);
        if (!parsed.success) throw new UnrecoverableError(`job ${name}: ${parsed.error.message}`);
        await handler(parsed.data, signal === undefined ? stopping.signal : AbortSignal.any([stopping.signal, signal]));
      },
      options,
      this.backend.factory as undefined,
    );
    worker.on('error', this.onError);
    worker.on('failed', (_job, error) => this.onError(error));
    const handle: QueueWorker = {
      close: async (graceMs) => {
        this.workers.delete(handle);
        stopping.abort();
        let timer: NodeJS.Timeout | undefined;
        const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs)));
        await Promise.race([worker.close(), late]);
        clearTimeout(timer);
      },
    };
    this.workers.add(handle);
    return handle;
  }

  async counts(queue = advanceGoal.queue): Promise<{ waiting: number; active: number; delayed: number }> {
    const counts = await this.queue(queue).getJobCounts('waiting', 'active', 'delayed');
    return { waiting: counts['waiting'] ?? 0, active: counts['active'] ?? 0, delayed: counts['delayed'] ?? 0 };
  }

  async close(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.close(5_000)));
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
  }

  private queue(name: string): Queue {
    let queue = this.queues.get(name);
    if (queue === undefined) {
      queue = new Queue(name, { connection: this.backend.connection }, this.backend.factory as undefined);
      queue.on('error', this.onError);
      this.queues.set(name, queue);
    }
    return queue;
  }
}
