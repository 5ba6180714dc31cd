import { setTimeout as sleep } from 'node:timers/promises';
import type { Priority } from '@aish/contracts/goals';
import { invariant } from '@aish/contracts/invariant';
import { AishError } from '@aish/contracts/problems';
import { WaitingError, type Job, type JobsOptions } from 'bullmq';
import type { z } from 'zod';
import { openBackend, type Backend, type JobQueue, type JobWorker } from './backend.js';
import { nextTime, type ScheduleTimes } from './schedule-times.js';
import type { StoreOptions } from './store-options.js';

/** A job as contracts declares it: name, queue and payload. */
export interface JobDeclaration<S extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly queue: string;
  readonly payload: S;
}

export interface AddOptions {
  readonly delayMs?: number;
  /** The priority. Jobs with a higher priority are taken first, and equal ones oldest first. */
  readonly priority?: Priority;
  /** A key for jobs of which at most one waits or runs at a time. Another one is dropped. */
  readonly once?: string;
}

export interface JobCounts {
  readonly waiting: number;
  readonly active: number;
  readonly delayed: number;
  readonly failed: number;
}

/** @param jobId identifies the job, even if it is taken up again after a crash. */
export type JobHandler<S extends z.ZodType> = (
  payload: z.output<S>,
  signal: AbortSignal,
  jobId: string,
) => Promise<void>;

export interface QueueWorker {
  /**
   * Takes no more jobs, aborts the signals of running jobs and waits for them, at most `graceMs`. Running jobs go back
   * to the queue at once for another worker.
   */
  close(graceMs: number): Promise<void>;
}

export interface QueueStore {
  /**
   * Adds a job. It runs again if its worker dies, but not if its handler throws.
   *
   * @throws AishError `queue_unreachable` if the store does not take it in time; ZodError for an invalid payload.
   */
  add<S extends z.ZodType>(job: JobDeclaration<S>, payload: z.input<S>, options?: AddOptions): Promise<void>;
  /**
   * Handles the jobs of a queue, `concurrency` at a time. If a worker is killed, another one takes up its job within
   * about 10 s.
   */
  work<S extends z.ZodType>(
    job: JobDeclaration<S>,
    handler: JobHandler<S>,
    options: { readonly concurrency: number },
  ): QueueWorker;
  /**
   * Adds the job whenever a schedule is due. A known `id` gets the new schedule. The handler's job ID is the same for
   * the same moment.
   *
   * @throws AishError `queue_unreachable`; `invalid_body` for a pattern that `nextTime` refuses.
   */
  schedule<S extends z.ZodType>(
    job: JobDeclaration<S>,
    id: string,
    times: ScheduleTimes,
    payload: z.input<S>,
  ): Promise<void>;
  /**
   * Removes a schedule. An unknown one is not an error.
   *
   * @throws AishError `queue_unreachable`.
   */
  unschedule(job: JobDeclaration, id: string): Promise<void>;
  /**
   * Counts the jobs in a queue.
   *
   * @throws AishError `queue_unreachable`.
   */
  counts(queue?: string): Promise<JobCounts>;
  /** Closes the queue. This also closes workers, without waiting for their jobs. */
  close(): Promise<void>;
}

/**
 * The priorities for BullMQ, which takes the lower number first. All jobs have one, because jobs without one would go
 * first.
 */
const PRIORITIES: Readonly<Record<Priority, number>> = { high: 1, normal: 2, low: 3 };

const ANSWER_TIMEOUT_MS = 10_000;
const DEFAULT_QUEUE = 'norris';

const JOB_OPTIONS = {
  attempts: 1,
  removeOnComplete: { count: 100, age: 24 * 3600 },
  removeOnFail: { count: 1_000, age: 7 * 24 * 3600 },
} satisfies JobsOptions;

/** Opens the queue. With Postgres it first updates BullMQ's own schema (`bullmq`) under BullMQ's lock. */
export async function openQueue(settings: StoreOptions): Promise<QueueStore> {
  return new BullQueueStore(await openBackend(settings), settings.onError ?? (() => undefined));
}

class BullQueueStore implements QueueStore {
  private readonly queues = new Map<string, JobQueue>();
  private readonly workers = new Set<QueueWorker>();
  private closing: Promise<void> | undefined;

  constructor(
    private readonly backend: Backend,
    private readonly onError: (error: unknown) => void,
  ) {}

  async add<S extends z.ZodType>(job: JobDeclaration<S>, payload: z.input<S>, options: AddOptions = {}): Promise<void> {
    const data: unknown = job.payload.parse(payload);
    await inTime(
      this.queue(job.queue).add(job.name, data, {
        ...JOB_OPTIONS,
        priority: PRIORITIES[options.priority ?? 'normal'],
        ...(options.delayMs === undefined ? {} : { delay: Math.max(0, Math.round(options.delayMs)) }),
        ...(options.once === undefined ? {} : { deduplication: { id: options.once } }),
      }),
    );
  }

  work<S extends z.ZodType>(
    job: JobDeclaration<S>,
    handler: JobHandler<S>,
    options: { readonly concurrency: number },
  ): QueueWorker {
    const closing = new AbortController();
    const running = new Set<Promise<void>>();
    const run = async (payload: z.output<S>, signals: AbortSignal[], jobId: string): Promise<void> => {
      const handled = handler(payload, AbortSignal.any(signals), jobId);
      running.add(handled);
      await handled.finally(() => running.delete(handled));
    };
    // All three parameters are declared, because BullMQ gives no signal to a function that declares fewer.
    const process = async (bullJob: Job, token: string | undefined, signal: AbortSignal | undefined): Promise<void> => {
      invariant(bullJob.name === job.name, `every job of queue ${job.queue} has a handler, "${bullJob.name}" too`);
      const payload = job.payload.parse(bullJob.data);
      const signals = signal === undefined ? [closing.signal] : [closing.signal, signal];
      try {
        await run(payload, signals, bullJob.id ?? '');
      } catch (error) {
        if (!closing.signal.aborted) throw error;
        this.onError(error);
      }
      if (!closing.signal.aborted) return;
      await bullJob.moveToWait(token);
      throw new WaitingError();
    };
    const worker = this.backend.worker(job.queue, process, options.concurrency);
    worker.on('error', this.onError);
    worker.on('failed', (_job, error) => this.onError(error));
    const handle = { close: (graceMs: number) => (closed ??= closeWorker(worker, closing, running, graceMs)) };
    let closed: Promise<void> | undefined;
    this.workers.add(handle);
    return handle;
  }

  async schedule<S extends z.ZodType>(
    job: JobDeclaration<S>,
    id: string,
    times: ScheduleTimes,
    payload: z.input<S>,
  ): Promise<void> {
    const data: unknown = job.payload.parse(payload);
    nextTime(times, new Date());
    const repeat = { pattern: times.cron, tz: times.timezone };
    const { attempts, removeOnComplete, removeOnFail } = JOB_OPTIONS;
    const opts = { attempts, removeOnComplete, removeOnFail };
    await inTime(this.queue(job.queue).upsertJobScheduler(id, repeat, { name: job.name, data, opts }));
  }

  async unschedule(job: JobDeclaration, id: string): Promise<void> {
    await inTime(this.queue(job.queue).removeJobScheduler(id));
  }

  async counts(queue: string = DEFAULT_QUEUE): Promise<JobCounts> {
    const counts = await inTime(
      this.queue(queue).getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed'),
    );
    const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
    return { waiting: waiting + prioritized, active, delayed, failed };
  }

  close(): Promise<void> {
    return (this.closing ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    await Promise.all([...this.workers].map((worker) => worker.close(0)));
    await Promise.all([...this.queues.values()].map((queue) => queue.close()));
    await this.backend.close();
  }

  private queue(name: string): JobQueue {
    const known = this.queues.get(name);
    if (known !== undefined) return known;
    const queue = this.backend.queue(name);
    queue.on('error', this.onError);
    this.queues.set(name, queue);
    return queue;
  }
}

async function closeWorker(
  worker: JobWorker,
  closing: AbortController,
  running: ReadonlySet<Promise<void>>,
  graceMs: number,
): Promise<void> {
  await worker.pause(true);
  closing.abort(new AishError('service_stopping', 'This worker is stopping'));
  const done = new AbortController();
  const ended = Promise.allSettled(running).then(() => true);
  const late = sleep(graceMs, false, { signal: done.signal }).catch(() => false);
  const inGrace = await Promise.race([ended, late]);
  done.abort();
  // A graceful close that has started cannot be forced later.
  await worker.close(!inGrace);
}

/** Limits the time of an operation, because BullMQ waits without limit if its store is unavailable. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const done = new AbortController();
  const late = sleep(ANSWER_TIMEOUT_MS, null, { signal: done.signal }).then(() => {
    throw new AishError('queue_unreachable', `The queue did not answer within ${ANSWER_TIMEOUT_MS} ms`);
  });
  try {
    return await Promise.race([work, late]);
  } catch (cause) {
    if (cause instanceof AishError) throw cause;
    throw new AishError('queue_unreachable', 'The queue did not accept the request', {}, { cause });
  } finally {
    late.catch(() => undefined);
    done.abort();
  }
}
