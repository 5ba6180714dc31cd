import { VERSION } from '@aish/contracts/health';
import { ApiConfig } from '@aish/contracts/config/api.config';
import { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { WorkerConfig } from '@aish/contracts/config/worker.config';
import { openService, type RunningService } from '@aish/http';
import { startApi } from '@aish/api/start-api';
import { startWorker } from '@aish/norris-worker/start-worker';
import { startSandbox } from '@aish/sandbox/start-sandbox';
import { QUICK_WAITS } from './quick-waits.js';

type Log = { write(line: string): void };
type Env = Readonly<Record<string, string>>;

/** Metrics belong to a process, and this one has several services; suites about metrics start separate processes. */
const telemetry = { prometheus: () => Promise.resolve(''), shutdown: () => Promise.resolve() };

/** Starts each service as its `main` does, with only the settings of `env`. */
export const startLocal: Readonly<
  Record<'api' | 'norris-worker' | 'sandbox', (env: Env, log: Log) => Promise<RunningService>>
> = {
  api: (env, log) =>
    startApi(
      { ...openService('api', ApiConfig, env, log), telemetry },
      { env, handleSignals: false, waits: QUICK_WAITS.api },
    ),
  'norris-worker': (env, log) =>
    startWorker(
      { ...openService('norris-worker', WorkerConfig, env, log), telemetry },
      { env, handleSignals: false, waits: QUICK_WAITS['norris-worker'] },
    ),
  sandbox: (env, log) => {
    const { config, logger } = openService('sandbox', SandboxConfig, env, log);
    return startSandbox(config, logger, { version: VERSION, handleSignals: false });
  },
};
