import { z } from 'zod';
import { PresetName } from './goals.js';
import { AishError } from './problems.js';

const port = z.coerce.number().int().min(0).max(65_535);
const milliseconds = z.coerce.number().int().min(1);
const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info').describe('How much is logged');

const Store = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as a postgresql:// URL'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('With it queue and event bus use Redis; without it Postgres'),
});

const presetFields = (preset: 'FAST' | 'DEEP') => ({
  [`${preset}_BASE_URL`]: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(`Model endpoint of preset ${preset.toLowerCase()}, without /v1`),
  [`${preset}_MODEL`]: z.string().min(1).optional().describe('Model name sent to the endpoint'),
  [`${preset}_TEMPERATURE`]: z.coerce.number().min(0).max(2).default(0.2).describe('Sampling temperature'),
  [`${preset}_MAX_TOKENS`]: z.coerce.number().int().min(16).default(2048).describe('Longest answer, tokens'),
  [`${preset}_API_KEY`]: z.string().min(1).optional().describe('Sent as a bearer token to the endpoint'),
});

const Presets = z.object({
  ...presetFields('FAST'),
  ...presetFields('DEEP'),
  MODEL_CONNECT_TIMEOUT_MS: milliseconds.default(5_000).describe('Time for the endpoint to take the connection'),
  MODEL_IDLE_TIMEOUT_MS: milliseconds.default(120_000).describe('Longest silence within an answer that has begun'),
  MODEL_TOTAL_TIMEOUT_MS: milliseconds
    .default(1_800_000)
    .describe('Longest time for one whole answer, queueing included'),
});

const Safety = z.object({
  SAFETY_SECOND_OPINION: z
    .enum(['auto', 'always', 'off'])
    .default('auto')
    .describe('Whether a model is asked about commands that the rules let pass: auto leaves out what only reads'),
  SAFETY_PRESET: PresetName.default('fast').describe('Preset that gives second opinions'),
  SAFETY_TIMEOUT_MS: milliseconds.default(3_000).describe('A second opinion that takes longer counts as YES'),
  SAFETY_RULES: z.string().optional().describe('Rules of your own, as JSON; docs/safety.md'),
});

const SandboxAccess = z.object({
  SANDBOX_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:7719')
    .describe('Where the sandbox service listens'),
  SANDBOX_TOKEN: z.string().min(16).describe('Shared by worker, api and sandbox; at least 16 characters'),
});

export const ApiConfig = z.object({
  ...Store.shape,
  ...Presets.shape,
  ...Safety.shape,
  ...SandboxAccess.shape,
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(7717).describe('Port to listen on; 0 takes a free one'),
  TOKEN_FILE: z.string().min(1).describe('Where the first admin token is written, once, mode 0600'),
  LOG_LEVEL: logLevel,
});
export type ApiConfig = z.infer<typeof ApiConfig>;

export const WorkerConfig = z.object({
  ...Store.shape,
  ...Presets.shape,
  ...Safety.shape,
  ...SandboxAccess.shape,
  WORKER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Goals driven side by side by one worker'),
  COMMAND_TIMEOUT_MS: milliseconds.default(600_000).describe('Longest time for one command'),
  WAIT_MIN_MS: milliseconds.default(2_000).describe('First pause when the model or the sandbox is away'),
  WAIT_MAX_MS: milliseconds.default(30_000).describe('Longest such pause'),
  SHUTDOWN_GRACE_MS: milliseconds.default(8_000).describe('Time to checkpoint after SIGTERM'),
  HEALTH_HOST: z.string().default('127.0.0.1').describe('Address of the health page'),
  HEALTH_PORT: port.default(7718).describe('Port of the health page; 0 takes a free one'),
  LOG_LEVEL: logLevel,
});
export type WorkerConfig = z.infer<typeof WorkerConfig>;

export const SandboxConfig = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(7719).describe('Port to listen on; 0 takes a free one'),
  SANDBOX_TOKEN: SandboxAccess.shape.SANDBOX_TOKEN,
  SANDBOX_IMAGE: z.string().min(1).default('aish-sandbox:latest').describe('Image that commands run in'),
  SANDBOX_STATE_DIR: z.string().min(1).describe('Where outcomes of ended runs are kept'),
  SANDBOX_INSTANCE: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_.-]{0,62}$/)
    .default('default')
    .describe('Names this service; it labels its containers and volumes with it'),
  DOCKER_SOCKET: z.string().min(1).default('/var/run/docker.sock').describe('Socket of the Docker engine'),
  SANDBOX_RUNTIME: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]*$/)
    .optional()
    .describe('Runtime of the engine that commands run in, as runsc or crun; unset takes the default of the engine'),
  RUN_MEMORY_MB: z.coerce.number().int().min(16).default(512).describe('Memory of one command, MiB; swap is off'),
  RUN_CPUS: z.coerce.number().min(0.1).default(1).describe('CPUs of one command'),
  RUN_PIDS: z.coerce.number().int().min(8).default(256).describe('Processes of one command'),
  RUN_TMP_MB: z.coerce.number().int().min(1).default(256).describe('Size of /tmp, MiB, in memory'),
  RUN_OPEN_FILES: z.coerce.number().int().min(64).default(4_096).describe('Files that one process may hold open'),
  RUN_FILE_MAX_MB: z.coerce.number().int().min(1).default(2_048).describe('Largest file a command may write, MiB'),
  RUN_WORKSPACE_MAX_MB: z.coerce
    .number()
    .int()
    .min(1)
    .default(4_096)
    .describe('Size of a workspace, MiB, above which its commands can read and delete files but not write them'),
  DISK_FREE_MIN_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(512)
    .describe('Free space of the host, MiB, below which no command may write files'),
  WARM_MAX: z.coerce.number().int().min(1).max(64).default(4).describe('Containers kept ready for the next command'),
  WARM_MAX_AGE_MS: milliseconds.default(600_000).describe('How long a container is kept ready'),
  RUN_OUTPUT_MAX_BYTES: z.coerce.number().int().min(1024).default(65_536).describe('Output kept of one command, bytes'),
  RUN_STREAM_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1024)
    .default(8_388_608)
    .describe('Output streamed live of one command, bytes'),
  RUNS_AT_ONCE: z.coerce.number().int().min(1).default(8).describe('Commands running side by side; more wait'),
  RUNS_QUEUED: z.coerce.number().int().min(0).default(64).describe('Commands that may wait; more are refused with 429'),
  OUTCOME_RETENTION_HOURS: z.coerce.number().int().min(24).default(48).describe('How long outcomes are kept'),
  LOG_LEVEL: logLevel,
});
export type SandboxConfig = z.infer<typeof SandboxConfig>;

/** Where a preset's model is and how it is asked. */
export interface Preset {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string | null;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly apiKey: string | null;
  readonly connectTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly totalTimeoutMs: number;
}

export const DEFAULT_MODEL_URL = 'http://127.0.0.1:8080';

/** The presets of a configuration, `fast` first. `deep` takes what it does not set from `fast`. */
export function presetsOf(config: z.infer<typeof Presets>): readonly Preset[] {
  const value = config as Record<string, unknown>;
  const of = (name: string, prefix: string, fallback?: Preset): Preset => ({
    name,
    baseUrl: ((value[`${prefix}_BASE_URL`] as string | undefined) ?? fallback?.baseUrl ?? DEFAULT_MODEL_URL)
      .replace(/\/+$/, '')
      .replace(/\/v1$/, ''),
    model: (value[`${prefix}_MODEL`] as string | undefined) ?? fallback?.model ?? null,
    temperature: value[`${prefix}_TEMPERATURE`] as number,
    maxTokens: value[`${prefix}_MAX_TOKENS`] as number,
    // A key belongs to the endpoint it was given for.
    apiKey:
      (value[`${prefix}_API_KEY`] as string | undefined) ??
      (value[`${prefix}_BASE_URL`] === undefined ? (fallback?.apiKey ?? null) : null),
    connectTimeoutMs: config.MODEL_CONNECT_TIMEOUT_MS,
    idleTimeoutMs: config.MODEL_IDLE_TIMEOUT_MS,
    totalTimeoutMs: config.MODEL_TOTAL_TIMEOUT_MS,
  });
  const fast = of('fast', 'FAST');
  return [fast, of('deep', 'DEEP', fast)];
}

/** @throws AishError `invalid_config` naming the presets that there are. */
export function presetNamed(presets: readonly Preset[], name: string): Preset {
  const preset = presets.find((candidate) => candidate.name === name);
  if (preset !== undefined) return preset;
  const names = presets.map((candidate) => candidate.name).join(', ');
  throw new AishError('invalid_config', `There is no preset ${name}; there are ${names}`);
}

/**
 * Reads a service's settings from the environment, everything wrong said at once. A setting `X` may stand in a file
 * named by `X_FILE` instead (its last line break is dropped). Empty values count as absent, as compose writes them.
 * @throws AishError `invalid_config`, one line per fault; values are never repeated, they may be secrets.
 */
export function parseConfig<S extends z.ZodObject>(
  schema: S,
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): z.infer<S> {
  const input: Record<string, string> = {};
  const faults: string[] = [];
  for (const name of Object.keys(schema.shape)) {
    const direct = env[name];
    const path = env[`${name}_FILE`];
    if (direct && path) faults.push(`${name}: both ${name} and ${name}_FILE are set; set one`);
    else if (path) {
      try {
        input[name] = readFile(path).replace(/\r?\n$/, '');
      } catch (error) {
        faults.push(`${name}_FILE: cannot read ${path} (${(error as NodeJS.ErrnoException).code ?? 'error'})`);
      }
    } else if (direct) input[name] = direct;
  }
  const parsed = schema.safeParse(input);
  if (!parsed.success) {
    for (const issue of parsed.error.issues) {
      const name = String(issue.path[0] ?? '');
      if (!faults.some((fault) => fault.startsWith(`${name}_FILE:`) || fault.startsWith(`${name}:`))) {
        faults.push(`${issue.path.join('.')}: ${input[name] === undefined ? 'is missing' : issue.message}`);
      }
    }
  }
  if (faults.length > 0)
    throw new AishError('invalid_config', `The configuration is not valid:\n  ${faults.join('\n  ')}`);
  return parsed.data as z.infer<S>;
}
