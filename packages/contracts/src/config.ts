import { z } from 'zod';
import { PresetName } from './goals.js';
import { InjectMode, MEMORY_INJECT_MAX_CHARS } from './memory.js';
import { HostFolderAllowlist } from './host-folders.js';
import { AishError } from './problems.js';
import { SandboxAddresses } from './sandboxes.js';
import { withSettingsFile, type Environment } from './settings-file.js';

const port = z.coerce.number().int().min(0).max(65_535);
const milliseconds = z.coerce.number().int().min(1);
const logLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error']).default('info').describe('How much is logged');

const knowledgeDir = z
  .string()
  .min(1)
  .optional()
  .describe('Git repository of the knowledge base; unset: there is none');

const RedisSentinelAddresses = z
  .string()
  .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''))
  .pipe(
    z
      .array(z.string().regex(/^[\w.-]+:\d{1,5}$/, 'must be host:port'))
      .min(1)
      .max(16),
  )
  .transform((words) =>
    words.map((word) => ({ host: word.split(':', 1)[0] ?? '', port: Number(word.slice(word.indexOf(':') + 1)) })),
  )
  .optional();

const Store = z.object({
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as a postgresql:// URL'),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe('With it queue and event bus use Redis; without it Postgres'),
  REDIS_SENTINELS: RedisSentinelAddresses.describe(
    'Redis Sentinels, as host:port, a space between two: they say where Redis is, REDIS_URL gives user, password and database',
  ),
  REDIS_SENTINEL_NAME: z.string().min(1).default('mymaster').describe('What the Sentinels call the servers they watch'),
  REDIS_SENTINEL_PASSWORD: z.string().min(1).optional().describe('Of the Sentinels themselves'),
});

const presetFields = (preset: 'FAST' | 'DEEP') => ({
  [`${preset}_BASE_URL`]: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(`Model endpoint of preset ${preset.toLowerCase()}, without /v1`),
  [`${preset}_MODEL`]: z.string().min(1).optional().describe('Model name sent to the endpoint'),
  [`${preset}_TEMPERATURE`]: z.coerce.number().min(0).max(2).default(0.2).describe('Sampling temperature'),
  [`${preset}_MAX_TOKENS`]: z.coerce.number().int().min(16).default(2048).describe('Longest answer, tokens'),
  [`${preset}_TOKEN_BUDGET`]: z.coerce
    .number()
    .int()
    .min(256)
    .optional()
    .describe('Tokens of conversation that are sent at most; unset: what the context of the model leaves'),
  [`${preset}_MAX_TURNS`]: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Messages, with all that came of them, that are sent at most'),
  [`${preset}_FALLBACK`]: PresetName.optional().describe(
    'Preset that answers when this one cannot be reached; unset: none',
  ),
  [`${preset}_API_KEY`]: z.string().min(1).optional().describe('Sent as a bearer token to the endpoint'),
});

/** Presets beside `fast` and `deep`, as a JSON text. */
const MorePresets = z
  .string()
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not JSON' });
      return z.NEVER;
    }
  })
  .pipe(
    z.array(
      z.strictObject({
        name: PresetName.refine(
          (name) => name !== 'fast' && name !== 'deep',
          'fast and deep have settings of their own',
        ),
        baseUrl: z.url({ protocol: /^https?$/ }),
        model: z.string().min(1).optional(),
        temperature: z.number().min(0).max(2).default(0.2),
        maxTokens: z.int().min(16).default(2048),
        tokenBudget: z.int().min(256).optional(),
        maxTurns: z.int().min(1).optional(),
        fallback: PresetName.optional(),
        apiKey: z.string().min(1).optional(),
      }),
    ),
  );

const Presets = z.object({
  ...presetFields('FAST'),
  ...presetFields('DEEP'),
  PRESETS: MorePresets.optional().describe(
    'More presets: JSON array of {name, baseUrl, model, temperature, maxTokens, tokenBudget, maxTurns, fallback, apiKey}',
  ),
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
  SAFETY_TOOLS: z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((glob) => glob !== ''))
    .optional()
    .describe('Names of tools that are always asked about, with commas between: instead of *__shell, *__write_file, …'),
});

const Memory = z.object({
  MEMORY_INJECT: InjectMode.default('newest').describe(
    'Which memory items a chat begins with: the newest, those relevant to its first message, or off',
  ),
  MEMORY_INJECT_MAX_CHARS: z.coerce
    .number()
    .int()
    .min(0)
    .max(100_000)
    .default(MEMORY_INJECT_MAX_CHARS)
    .describe('Longest such block, characters'),
  MEMORY_PRESET: PresetName.default('fast').describe('Preset that summarizes sessions and compacts documents'),
  MEMORY_SUMMARIZE_AT_END: z
    .stringbool()
    .default(false)
    .describe('Whether a session is summarized when it ends; what is found waits for a review'),
  MEMORY_SUMMARIZE_EVERY: z.coerce
    .number()
    .int()
    .min(0)
    .default(0)
    .describe('Summarize a chat after so many messages of its person; 0: never by itself'),
  MEMORY_PRUNE_OLDER_THAN_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe('Forget items older than this, once a day; unset: never'),
  MEMORY_COMPACT_ABOVE_KB: z.coerce
    .number()
    .int()
    .min(1)
    .default(100)
    .describe('Memory documents larger than this are compacted after a goal or chat, KiB'),
});

const SandboxAccess = z.object({
  SANDBOX_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:7719')
    .describe('Where the sandbox service listens'),
  SANDBOXES: SandboxAddresses.describe(
    'More sandbox services, on other machines: name=url, a space between two. A new workspace goes to the one with ' +
      'the least to do and stays there; SANDBOX_URL is named default',
  ),
  SANDBOX_TOKEN: z.string().min(16).describe('Shared by worker, api and every sandbox; at least 16 characters'),
});

const Mcp = z.object({
  MCP_SERVERS: z
    .string()
    .optional()
    .describe('MCP servers, as JSON: alias -> {url} or {command}, and more; docs/mcp.md'),
  MCP_SECRET_KEY: z
    .string()
    .min(32)
    .optional()
    .describe('Encrypts what the database keeps of MCP servers that are secret; unset: made from SANDBOX_TOKEN'),
});

const Telemetry = z.object({
  METRICS_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Lets Prometheus read GET /metrics; at the api a token with scope observe does, too'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where metrics and traces are sent, OTLP over HTTP; unset sends nothing'),
});

const names = z
  .string()
  .optional()
  .transform((text) =>
    (text ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  );

const SignIns = z.object({
  OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('OpenID Connect provider of the household; unset leaves tokens as the only way in. Needs PUBLIC_URL'),
  OIDC_CLIENT_ID: z.string().min(1).optional().describe('Under which the provider knows aish'),
  OIDC_CLIENT_SECRET: z.string().min(1).optional().describe('Given by the provider with it; a public client has none'),
  OIDC_SCOPES: z.string().default('openid profile email').describe('What the provider is asked for'),
  OIDC_CLAIM: z.string().default('groups').describe('Claim of the ID token that says who may do what'),
  OIDC_ADMINS: names.describe('Values of that claim, or user names, that may do everything; with commas between'),
  OIDC_OPERATORS: names.describe('The same for who gives goals and answers HALTs'),
  OIDC_OBSERVERS: names.describe('The same for who only looks'),
  OIDC_TOKEN_DAYS: z.coerce.number().int().min(1).max(365).default(30).describe('Days until one has to sign in again'),
});

const Backups = z.object({
  BACKUP_DIR: z.string().min(1).optional().describe('Folder for backups that are made by themselves; unset makes none'),
  BACKUP_EVERY_HOURS: z.coerce.number().min(0.01).max(8_760).default(24).describe('Hours between two of them'),
  BACKUP_KEEP: z.coerce.number().int().min(1).max(1_000).default(7).describe('How many of them are kept'),
  BACKUP_WORKSPACES: z.enum(['none', 'all']).default('none').describe('Whether workspaces are in them'),
});

const Notices = z.object({
  PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Where people reach the api from their phones; links and buttons of notices need it'),
  NOTIFY_ON: z
    .string()
    .regex(/^[a-z]+(,[a-z]+)*$/)
    .default('halt,done,blocked,failed')
    .describe('What people are told of: halt, and the ends of goals by name'),
  QUIET_HOURS: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/)
    .optional()
    .describe('When notices wait, as 22:00-07:00, in the time zone of the service (TZ)'),
  NTFY_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('An ntfy topic, as https://ntfy.example/aish; unset sends nothing there'),
  NTFY_TOKEN: z.string().min(1).optional().describe('Access token of the ntfy server'),
  WEBHOOK_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Gets each notice as JSON, signed as standardwebhooks.com says; unset sends nothing'),
  WEBHOOK_SECRET: z.string().min(24).optional().describe('Signs what is sent to WEBHOOK_URL, which needs it'),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe('Mail server, as smtps://user:password@mail.example; unset sends no mail'),
  MAIL_FROM: z.email().optional().describe('Sender of mails; needed with SMTP_URL'),
  MAIL_TO: z.email().optional().describe('Receiver of mails; needed with SMTP_URL'),
});

const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()])));

const Tools = z.object({
  AUTO_APPROVE: list.describe('Tools that need no confirmation, as server.tool or server.*, separated by commas'),
  TOOL_TIMEOUT_MS: milliseconds
    .default(120_000)
    .describe('Longest time for one tool call, without the time in which a person is asked'),
  ELICITATION_WAIT_MS: milliseconds
    .default(600_000)
    .describe(
      'How long the call of an MCP server of 2025 is kept open for the answer to its question; later ones wait without',
    ),
});

const Chats = z.object({
  ...Tools.shape,
  CONFIRM_CMD: z
    .enum(['true', 'false'])
    .default('true')
    .transform((text) => text === 'true')
    .describe('Whether a CMD: line in a chat is asked about before it runs; destructive ones always are'),
  AUTO_CONTINUE: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Whether the output of a command in a chat goes to the model at once; else it joins the next message'),
  CHAT_STOP_ON_DISCONNECT: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true')
    .describe('Whether a lost connection stops the exchange that it was opened for; else it goes on'),
  CHAT_COMMAND_TIMEOUT_MS: milliseconds.default(600_000).describe('Longest time for one command of a chat'),
});

const Grants = z.object({
  GRANTS: z
    .enum(['allow', 'forbid'])
    .default('allow')
    .describe('Whether a person may let the same action run for the rest of a goal without being asked again'),
});

/** What may stand between clients and the api: addresses, and networks as 172.16.0.0/12. */
const ProxyAddresses = z
  .string()
  .default('')
  .transform((text) => text.split(/[\s,]+/).filter((word) => word !== ''))
  .pipe(
    z
      .array(
        z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()], {
          error: 'must be an address, or a network as 172.16.0.0/12',
        }),
      )
      .max(64),
  );

export const ApiConfig = z.object({
  ...Chats.shape,
  ...Store.shape,
  ...Presets.shape,
  ...Safety.shape,
  ...Grants.shape,
  ...SandboxAccess.shape,
  ...Notices.shape,
  ...Backups.shape,
  ...SignIns.shape,
  ...Memory.shape,
  ...Mcp.shape,
  MCP_HOSTS: z
    .string()
    .default('localhost,127.0.0.1,[::1]')
    .transform((text) => text.split(/[\s,]+/).filter((host) => host !== ''))
    .describe('Host names under which /mcp may be asked for, and whose web pages may ask; with commas between'),
  MCP_OAUTH_CALLBACK_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://127.0.0.1:7717/v1/mcp/oauth/callback')
    .describe('Where an authorization server sends the browser back to: this service as the browser reaches it'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(7717).describe('Port to listen on; 0 takes a free one'),
  KNOWLEDGE_DIR: knowledgeDir,
  KNOWLEDGE_REMOTE: z
    .string()
    .min(1)
    .optional()
    .describe('Where the knowledge base is pushed to; a private repository'),
  KNOWLEDGE_PUSH_EVERY_MS: milliseconds.default(900_000).describe('Pause between two pushes of the knowledge base'),
  TOKEN_FILE: z.string().min(1).describe('Where the first admin token is written, once, mode 0600'),
  REQUESTS_PER_MINUTE: z.coerce.number().int().min(1).default(6_000).describe('Requests of one token; more get 429'),
  WRONG_TOKENS_PER_MINUTE: z.coerce
    .number()
    .int()
    .min(1)
    .default(60)
    .describe('Wrong tokens from one address, after which no token from there is looked at'),
  TRUSTED_PROXIES: ProxyAddresses.describe(
    'Addresses and networks of reverse proxies, with commas between: what they say in X-Forwarded-For is who asks. None: nobody is believed',
  ),
  ...Telemetry.shape,
  LOG_LEVEL: logLevel,
});
export type ApiConfig = z.infer<typeof ApiConfig>;

export const WorkerConfig = z.object({
  ...Store.shape,
  ...Presets.shape,
  ...Safety.shape,
  ...SandboxAccess.shape,
  ...Mcp.shape,
  KNOWLEDGE_DIR: knowledgeDir,
  WORKER_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Goals driven side by side by one worker'),
  MODEL_CONCURRENCY: z.coerce
    .number()
    .int()
    .min(1)
    .max(64)
    .default(4)
    .describe('Questions that one worker puts to one model endpoint at once; more wait. Its slots, say'),
  ...Tools.shape,
  ...Grants.shape,
  COMMAND_TIMEOUT_MS: milliseconds.default(600_000).describe('Longest time for one command'),
  WAIT_MIN_MS: milliseconds.default(2_000).describe('First pause when the model or the sandbox is away'),
  WAIT_MAX_MS: milliseconds.default(30_000).describe('Longest such pause'),
  SHUTDOWN_GRACE_MS: milliseconds.default(8_000).describe('Time to checkpoint after SIGTERM'),
  HEALTH_HOST: z.string().default('127.0.0.1').describe('Address of the health page'),
  HEALTH_PORT: port.default(7718).describe('Port of the health page; 0 takes a free one'),
  ...Telemetry.shape,
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
  SANDBOX_HOST_FOLDERS: HostFolderAllowlist.describe(
    'Folders of the host that runs may ask for: JSON array of {name, hostPath, containerPath, readOnly}',
  ),
  SANDBOX_NETWORK_DIR: z
    .string()
    .regex(/^\//, 'must be an absolute path')
    .optional()
    .describe('Where the sockets of the proxies lie; a folder in SANDBOX_STATE_DIR unless set'),
  SANDBOX_NETWORK_VOLUME: z
    .string()
    .min(1)
    .optional()
    .describe('The Docker volume mounted at SANDBOX_NETWORK_DIR, when this service itself runs in a container'),
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
  STDIO_PROGRAMS_MAX: z.coerce
    .number()
    .int()
    .min(0)
    .max(256)
    .default(16)
    .describe('MCP servers over stdin and stdout that run side by side; each process of aish has its own'),
  RUNS_QUEUED: z.coerce.number().int().min(0).default(64).describe('Commands that may wait; more are refused with 429'),
  FILES_MAX_MB: z.coerce.number().int().min(1).default(256).describe('Most that one upload or download holds, MiB'),
  PREVIEW_MAX_MB: z.coerce.number().int().min(1).default(256).describe('Largest workspace that is previewed, MiB'),
  SNAPSHOTS_MAX_MB: z.coerce
    .number()
    .int()
    .min(0)
    .default(1_024)
    .describe('Space for the snapshots of one workspace, MiB; the newest are kept, 0 takes none'),
  OUTCOME_RETENTION_HOURS: z.coerce.number().int().min(24).default(48).describe('How long outcomes are kept'),
  ...Telemetry.shape,
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
  /** Tokens that a conversation takes at most; else what the model's context leaves. */
  readonly tokenBudget?: number | null;
  /** Messages of a person, with all that came of them, that are sent at most. */
  readonly maxTurns?: number | null;
  /** The preset that answers when this one cannot. */
  readonly fallback?: string | null;
}

export const DEFAULT_MODEL_URL = 'http://127.0.0.1:8080';

/** The Sentinels of a configuration, as the queue takes them; none unless REDIS_SENTINELS is set. */
export function sentinelsOf(config: z.infer<typeof Store>) {
  const { REDIS_SENTINELS: addresses, REDIS_SENTINEL_NAME: name, REDIS_SENTINEL_PASSWORD: password } = config;
  return addresses === undefined ? undefined : { name, addresses, password };
}

/** The presets of a configuration, `fast` first. `deep` takes what it does not set from `fast`. */
export function presetsOf(config: z.infer<typeof Presets>): readonly Preset[] {
  const value = config as Record<string, unknown>;
  const timeouts = {
    connectTimeoutMs: config.MODEL_CONNECT_TIMEOUT_MS,
    idleTimeoutMs: config.MODEL_IDLE_TIMEOUT_MS,
    totalTimeoutMs: config.MODEL_TOTAL_TIMEOUT_MS,
  };
  const of = (name: string, prefix: string, fallback?: Preset): Preset => ({
    name,
    baseUrl: withoutV1((value[`${prefix}_BASE_URL`] as string | undefined) ?? fallback?.baseUrl ?? DEFAULT_MODEL_URL),
    model: (value[`${prefix}_MODEL`] as string | undefined) ?? fallback?.model ?? null,
    temperature: value[`${prefix}_TEMPERATURE`] as number,
    maxTokens: value[`${prefix}_MAX_TOKENS`] as number,
    // A key belongs to the endpoint it was given for.
    apiKey:
      (value[`${prefix}_API_KEY`] as string | undefined) ??
      (value[`${prefix}_BASE_URL`] === undefined ? (fallback?.apiKey ?? null) : null),
    tokenBudget: (value[`${prefix}_TOKEN_BUDGET`] as number | undefined) ?? null,
    maxTurns: (value[`${prefix}_MAX_TURNS`] as number | undefined) ?? null,
    fallback: (value[`${prefix}_FALLBACK`] as string | undefined) ?? null,
    ...timeouts,
  });
  const fast = of('fast', 'FAST');
  const more = (config.PRESETS ?? []).map(
    ({ baseUrl, model, apiKey, tokenBudget, maxTurns, fallback, ...preset }): Preset => ({
      ...preset,
      baseUrl: withoutV1(baseUrl),
      model: model ?? null,
      apiKey: apiKey ?? null,
      tokenBudget: tokenBudget ?? null,
      maxTurns: maxTurns ?? null,
      fallback: fallback ?? null,
      ...timeouts,
    }),
  );
  const presets = [fast, of('deep', 'DEEP', fast), ...more];
  for (const { name, fallback } of presets) {
    if (fallback === null || fallback === undefined) continue;
    if (fallback === name) throw new AishError('invalid_config', `Preset ${name} cannot fall back to itself`);
    presetNamed(presets, fallback);
  }
  const double = presets.find((preset, at) => presets.findIndex(({ name }) => name === preset.name) !== at);
  if (double !== undefined) throw new AishError('invalid_config', `There are two presets ${double.name}`);
  return presets;
}

function withoutV1(url: string): string {
  return url.replace(/\/+$/, '').replace(/\/v1$/, '');
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
 * named by `X_FILE` instead (its last line break is dropped), and all of them in a file of settings named by AISH_CONFIG,
 * which the environment overrides. Empty values count as absent, as compose writes them.
 * @throws AishError `invalid_config`, one line per fault; values are never repeated, they may be secrets.
 */
export function parseConfig<S extends z.ZodObject>(
  schema: S,
  environment: Environment,
  readFile: (path: string) => string,
): z.infer<S> {
  const env = withSettingsFile(environment, readFile);
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
