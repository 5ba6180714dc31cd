import { setTimeout as sleep } from 'node:timers/promises';
import { embedMemory } from '@aish/contracts/jobs';
import { isAishError } from '@aish/contracts/problems';
import type { Database } from '@aish/database/client';
import type { Logger } from '@aish/http';
import { cutAll, type Meaning, type NoteQuestions } from '@aish/memory';
import type { QueueStore, QueueWorker } from '@aish/queue';

const TRIES = 5;
const AGAIN_MS = 1_000;
const EVERY_MINUTE = { cron: '* * * * *', timezone: 'UTC' };

export interface RecallKeeping {
  readonly db: Database;
  /** Null if there are neither embeddings nor questions. */
  readonly meaning: Meaning | null;
  readonly questions: NoteQuestions | null;
}

/**
 * Every minute a worker splits new text into pieces, lets a model write the questions that notes answer, and embeds
 * both.
 */
export async function startEmbedding(
  queue: QueueStore,
  { db, meaning, questions }: RecallKeeping,
  logger: Logger,
): Promise<QueueWorker> {
  await begin(queue, logger);
  const steps: readonly { readonly what: string; readonly run: (signal: AbortSignal) => Promise<number> }[] = [
    { what: 'cut for recall', run: (signal) => cutAll(db, signal) },
    { what: 'asked which questions it answers', run: async (signal) => (await questions?.makeMissing(signal)) ?? 0 },
    { what: 'asked what it means', run: async (signal) => (await meaning?.makeMissing(signal)) ?? 0 },
  ];
  return queue.work(
    embedMemory,
    async (_payload, signal) => {
      for (const { what, run } of steps) {
        try {
          const done = await run(signal);
          if (done > 0) logger.info({ done }, `memory and knowledge: ${what}`);
        } catch (err) {
          if (signal.aborted) throw err;
          // Searches report the unavailable model, and the next minute tries again.
          if (!isAishError(err, 'model_unreachable', 'model_loading')) logger.warn({ err }, `not ${what}`);
        }
      }
    },
    { concurrency: 1 },
  );
}

/**
 * Starts the job that repeats every minute. If several workers start at once, the queue may refuse one of them. All ask
 * for the same job, so a retry is safe.
 */
async function begin(queue: QueueStore, logger: Logger): Promise<void> {
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      await queue.schedule(embedMemory, 'memory', EVERY_MINUTE, {});
      await queue.add(embedMemory, {}, { once: 'memory' });
      return;
    } catch (err) {
      if (!isAishError(err, 'queue_unreachable') || left === 1) throw err;
      logger.warn({ err }, 'the queue does not accept the memory job yet');
      await sleep(AGAIN_MS);
    }
  }
}
