import { ApiConfig } from '@aish/contracts/config/api.config';
import { runMain } from '@aish/http';
import { startApi, type ApiWaits } from './start-api.js';

/** The api as a process of its own. Tests that kill it give it other waits; it has no settings for them. */
export function run(waits?: Partial<ApiWaits>): Promise<void> {
  return runMain('api', ApiConfig, (process) => startApi(process, waits && { waits }));
}
