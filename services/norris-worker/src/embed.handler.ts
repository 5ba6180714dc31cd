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
  /** Null: no model is asked what texts mean, or which questions they answer. */
  readonly meaning: Meaning | null;
  readonly questions: NoteQuestions | null;
}

/**
 * Each minute cuts what is new into pieces that recall finds, has questions written that notes answer, and has the model
 * for embeddings asked what all of it means.
 */
export async function keepMeanings(
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
          // Searches say that it is away; the next minute tries again.
          if (!isAishError(err, 'model_unreachable', 'model_loading')) logger.warn({ err }, `not ${what}`);
        }
      }
    },
    { concurrency: 1 },
  );
}

/** Of workers that start at the same moment the queue may refuse one. It asks for the same, so that may be asked again. */
async function begin(queue: QueueStore, logger: Logger): Promise<void> {
  for (let left = TRIES; left > 0; left -= 1) {
    try {
      await queue.schedule(embedMemory, 'memory', EVERY_MINUTE, {});
      await queue.add(embedMemory, {}, { once: 'memory' });
      return;
    } catch (err) {
      if (!isAishError(err, 'queue_unreachable') || left === 1) throw err;
      logger.warn({ err }, 'the queue does not take the work of memory yet');
      await sleep(AGAIN_MS);
    }
  }
}
