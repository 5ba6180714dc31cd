import * as z from 'zod';
import { checkedBy, modelSettings } from './combinations.js';
import { Mcp } from './mcp.settings.js';
import { Presets } from './presets.settings.js';
import { Store } from './store.settings.js';
import { Tools } from './tools.settings.js';
import { Grants, Safety } from './safety.settings.js';
import { logLevel, milliseconds, port } from './setting-types.js';
import { SandboxAccess, Telemetry, Hosts, knowledgeDir } from './shared.settings.js';

export const WorkerConfig = z
  .object({
    ...Store.shape,
    ...Presets.shape,
    ...Safety.shape,
    ...SandboxAccess.shape,
    ...Mcp.shape,
    ...Hosts.shape,
    KNOWLEDGE_DIR: knowledgeDir,
    WORKER_CONCURRENCY: z.coerce
      .number()
      .int()
      .min(1)
      .max(64)
      .default(4)
      .describe('Goals that one worker runs at once'),
    MODEL_CONCURRENCY: z.coerce
      .number()
      .int()
      .min(1)
      .max(64)
      .default(4)
      .describe(
        'Requests that one worker sends to one model endpoint at once; more wait. A good value is the endpoint’s number of slots',
      ),
    ...Tools.shape,
    ...Grants.shape,
    COMMAND_TIMEOUT_MS: milliseconds.default(600_000).describe('Longest time for one command'),
    WAIT_MIN_MS: milliseconds.default(2_000).describe('First pause when the model or the sandbox is unavailable'),
    WAIT_MAX_MS: milliseconds.default(30_000).describe('Longest such pause'),
    GOAL_EVENTS_DAYS: z.coerce
      .number()
      .int()
      .min(0)
      .max(36_500)
      .default(0)
      .describe('Days after the end of a goal until its events are deleted; its history stays. 0: keep all events'),
    HEALTH_HOST: z.string().default('127.0.0.1').describe('Address of the health page'),
    HEALTH_PORT: port.default(7718).describe('Port of the health page; 0 takes a free one'),
    ...Telemetry.shape,
    LOG_LEVEL: logLevel,
  })
  .superRefine(checkedBy(modelSettings));
export type WorkerConfig = z.infer<typeof WorkerConfig>;
