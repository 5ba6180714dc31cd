import { ApiConfig } from '@aish/contracts/config/api.config';
import { runMain } from '@aish/http';
import { startApi } from './start-api.js';

await runMain('api', ApiConfig, (process) => startApi(process));
