import { ApiConfig } from '@aish/contracts/config/api.config';
import { WorkerConfig } from '@aish/contracts/config/worker.config';
import { closeOnSignals, openService, runMain } from '@aish/http';
import { startApi } from '@aish/api/start-api';
import { startWorker } from '@aish/norris-worker/start-worker';

// The api and one worker in one process, for a machine without room for more. They do not know of each other, and use
// the database and the queue as separate processes do.
await runMain('api', ApiConfig, async (api) => {
  const worker = { ...openService('norris-worker', WorkerConfig, process.env), telemetry: api.telemetry };
  const options = { handleSignals: false };
  const [running, working] = await Promise.all([startApi(api, options), startWorker(worker, options)]);
  closeOnSignals([working, running]);
});
