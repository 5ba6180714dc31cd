import type { Notice } from '@aish/contracts';
import type { z } from 'zod';

/** A job as contracts declare it: its name, its queue, and the schema of its payload. */
export interface JobDeclaration<P extends z.ZodType> {
  readonly name: string;
  readonly queue: string;
  readonly payload: P;
}

export interface AddOptions {
  /** Not before this much time has passed. */
  readonly delayMs?: number;
  /** At most one job with this key is queued or running; another is left out. Letters, digits and `-`. */
  readonly once?: string;
}

export interface QueueWorker {
  /**
   * Takes no more jobs and aborts the signals of those under way. Resolves when all handlers have returned, or after
   * `graceMs`: what still runs then is another worker's once this process is gone.
   */
  close(graceMs: number): Promise<void>;
}

/** Jobs that survive restarts. Delivered at least once: a handler must bear a job that comes twice. */
export interface QueueStore {
  /** @throws ZodError when the payload does not fit its declaration. */
  add<P extends z.ZodType>(job: JobDeclaration<P>, payload: z.input<P>, options?: AddOptions): Promise<void>;
  /** Handles jobs of this name, `concurrency` side by side, until closed. */
  work<P extends z.ZodType>(
    job: JobDeclaration<P>,
    handler: (payload: z.output<P>, signal: AbortSignal) => Promise<void>,
    options: { readonly concurrency: number },
  ): QueueWorker;
  counts(queue?: string): Promise<{ readonly waiting: number; readonly active: number; readonly delayed: number }>;
  /** Closes workers and connections. */
  close(): Promise<void>;
}

/** Notices to all processes. Best effort: who missed something reads the database again. */
export interface EventBus {
  publish(notice: Notice): Promise<void>;
  /** `onGap`: the connection was lost and is back; notices may have been missed. Returns how to unsubscribe. */
  subscribe(handler: (notice: Notice) => void, onGap?: () => void): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export interface StoreOptions {
  readonly databaseUrl: string;
  /** With it everything is on Redis, without it on Postgres. The one place that chooses. */
  readonly redisUrl?: string;
  /** Told of connection errors and broken notices. Everything reconnects by itself; there is nothing to do but log. */
  readonly onError?: (error: unknown) => void;
}
