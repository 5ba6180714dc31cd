import { WorkerConfig } from '@aish/contracts/config/worker.config';
import { runMain } from '@aish/http';
import { startWorker, type WorkerWaits } from './start-worker.js';

/** Runs the worker as a separate process. Tests that kill it pass shorter waits. There are no settings for them. */
export function run(waits?: Partial<WorkerWaits>): Promise<void> {
  return runMain('norris-worker', WorkerConfig, (process) => startWorker(process, waits && { waits }));
}
