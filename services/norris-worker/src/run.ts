import { WorkerConfig } from '@aish/contracts/config/worker.config';
import { runMain } from '@aish/http';
import { startWorker, type WorkerWaits } from './start-worker.js';

/** The worker as a process of its own. Tests that kill it give it other waits; it has no settings for them. */
export function run(waits?: Partial<WorkerWaits>): Promise<void> {
  return runMain('norris-worker', WorkerConfig, (process) => startWorker(process, waits && { waits }));
}
