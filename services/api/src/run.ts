import { ApiConfig } from '@aish/contracts/config/api.config';
import { runMain } from '@aish/http';
import { startApi, type ApiWaits } from './start-api.js';

/** Runs the api as a separate process. Tests that kill it pass shorter waits. There are no settings for them. */
export function run(waits?: Partial<ApiWaits>): Promise<void> {
  return runMain('api', ApiConfig, (process) => startApi(process, waits && { waits }));
}
