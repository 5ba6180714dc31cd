import { embedMemory } from '@aish/contracts/jobs';
import { isAishError } from '@aish/contracts/problems';
import type { Logger } from '@aish/http';
import type { Meaning } from '@aish/memory';
import type { QueueStore, QueueWorker } from '@aish/queue';

const EVERY_MINUTE = { cron: '* * * * *', timezone: 'UTC' };

/** Has the model for embeddings asked, each minute, what new items of memory mean; without such a model nobody is. */
export async function keepMeanings(queue: QueueStore, meaning: Meaning | null, logger: Logger): Promise<QueueWorker> {
  if (meaning === null) await queue.unschedule(embedMemory, 'memory');
  else {
    await queue.schedule(embedMemory, 'memory', EVERY_MINUTE, {});
    await queue.add(embedMemory, {}, { once: 'memory' });
  }
  return queue.work(
    embedMemory,
    async (_payload, signal) => {
      try {
        const made = (await meaning?.makeMissing(signal)) ?? 0;
        if (made > 0) logger.info({ made }, 'found out what items of memory mean');
      } catch (err) {
        if (signal.aborted) throw err;
        // Searches say that it is away; the next minute tries again.
        if (!isAishError(err, 'model_unreachable', 'model_loading'))
          logger.warn({ err }, 'the model for embeddings fails');
      }
    },
    { concurrency: 1 },
  );
}
