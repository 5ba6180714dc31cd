import { parse } from 'dotenv';
import * as z from 'zod';
import { ApiConfig } from './config/api.config.js';
import { parseConfig } from './config/parse-config.js';
import { SandboxConfig } from './config/sandbox.config.js';
import { WorkerConfig } from './config/worker.config.js';
import { nearestWord } from './nearest.js';
import { isAishError } from './problems.js';
import { mergeSettings, withSettingsFile, type Environment } from './settings-file.js';
import type { ShownSetting } from './shown-settings.js';

/** The settings schema of each service. */
export const SERVICE_CONFIGS = { api: ApiConfig, 'norris-worker': WorkerConfig, sandbox: SandboxConfig } as const;
export type ServiceName = keyof typeof SERVICE_CONFIGS;

export interface Setting {
  readonly name: string;
  readonly about: string;
  /** The default in the form of a settings file; null if there is none. */
  readonly byDefault: string | null;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly services: readonly ServiceName[];
}

// MCP_SERVERS is included because the servers' headers may contain a secret.
const SECRET = /(TOKEN|KEY|PASSWORD|SECRET)$|^MCP_SERVERS$/;

/** Returns every setting once, in the order of the schemas, with the services that read it. */
export function settings(): readonly Setting[] {
  const found = new Map<string, Setting>();
  for (const service of Object.keys(SERVICE_CONFIGS) as ServiceName[]) {
    for (const [name, schema] of Object.entries(SERVICE_CONFIGS[service].shape)) {
      const known = found.get(name);
      found.set(name, {
        name,
        about: known?.about ?? (schema as z.ZodType).description ?? '',
        ...usual(schema as z.ZodType),
        isSecret: SECRET.test(name),
        services: [...(known?.services ?? []), service],
      });
    }
  }
  return [...found.values()];
}

/** Returns the default of a setting, and whether the setting is required. */
function usual(schema: z.ZodType): Pick<Setting, 'byDefault' | 'isRequired'> {
  const absent = schema.safeParse(undefined);
  return { byDefault: absent.success ? written(absent.data) : null, isRequired: !absent.success };
}

/**
 * Formats a default as a line of a settings file. Lists and tables have a different form there, so the result is null
 * for them.
 */
function written(value: unknown): string | null {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
}

/** Returns the settings of a service without secrets and without passwords in URLs. */
export function redacted(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (value === undefined) return [name, value];
      if (SECRET.test(name)) return [name, '[redacted]'];
      return [name, typeof value === 'string' ? withoutPassword(value) : value];
    }),
  );
}

/** Hides passwords and tokens in URLs. A token can also be the user name: `https://ghp_…@github.com/…`. */
function withoutPassword(text: string): string {
  return text
    .replace(/(\/\/[^/@:\s]*:)[^/@\s]*@/g, '$1[redacted]@')
    .replace(/(https?:\/\/)[^/@:\s]+@/g, '$1[redacted]@')
    .replace(/([?&][^=&\s]*(?:password|token|secret|key)[^=&\s]*=)[^&\s]+/gi, '$1[redacted]');
}

/**
 * Returns the effective settings of a service with their sources, without secrets.
 *
 * @throws AishError `invalid_config` like {@link parseConfig}.
 */
export function shownSettings(
  service: ServiceName,
  env: Environment,
  readFile: (path: string) => string,
): readonly ShownSetting[] {
  const merged = withSettingsFile(env, readFile);
  const isSet = (from: Environment, name: string): boolean => Boolean(from[name] || from[`${name}_FILE`]);
  const own: Readonly<Record<string, unknown>> = SERVICE_CONFIGS[service].shape;
  return settings()
    .filter(({ services }) => services.includes(service))
    .map(({ name, about, isSecret }): ShownSetting => {
      const { byDefault } = usual(own[name] as z.ZodType);
      const path = merged[`${name}_FILE`];
      const text = path ? readFile(path).replace(/\r?\n$/, '') : merged[name];
      const source = isSet(env, name) ? 'environment' : isSet(merged, name) ? 'file' : 'default';
      const value = source === 'default' ? byDefault : withoutPassword(text ?? '');
      return { name, about, value: isSecret ? null : value, byDefault, isSecret, source };
    });
}

/** Settings of other programs: compose, the launcher, the client. No service reads them. */
const AROUND = 'AISH_PORT AISH_URL AISH_DATA AISH_TOKEN_FILE AISH_SECRETS_DIR DOCKER_SOCKET COMPOSE_PROFILES TZ'.split(
  ' ',
);

/** Former settings that are now constants. */
const SETTLED = new Set(
  (
    'TOOL_TIMEOUT_MS MAX_TOOL_DEPTH CHAT_STOP_ON_DISCONNECT SHUTDOWN_GRACE_MS OIDC_SCOPES OIDC_TOKEN_DAYS ' +
    'MEMORY_INJECT_MAX_CHARS STDIO_PROGRAMS_MAX OUTCOME_RETENTION_HOURS SAFETY_TIMEOUT_MS'
  ).split(' '),
);
const OF_PRESET =
  /^(?<preset>FAST|DEEP|MODEL)_(?<field>TEMPERATURE|MAX_TOKENS|TOKEN_BUDGET|MAX_TURNS|FALLBACK|\w+_TIMEOUT_MS)$/;

/** Says what to do about a former setting; null for any other setting. */
function whatReplaces(setting: string): string | null {
  if (SETTLED.has(setting)) return 'aish now uses a fixed value';
  if (setting === 'MCP_HOSTS' || setting === 'WEB_HOSTS') return 'put its value into ALLOWED_HOSTS';
  if (setting === 'MCP_OAUTH_CALLBACK_URL') return 'aish now uses PUBLIC_URL';
  const { preset, field } = OF_PRESET.exec(setting)?.groups ?? {};
  if (preset === undefined || field === undefined) return null;
  const name = field.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `set "${name}" of preset ${preset === 'MODEL' ? 'fast (and of others)' : preset.toLowerCase()} in PRESETS`;
}

/**
 * Lists all errors of a settings file, one line each; empty if there are none. Settings that the deployment itself
 * provides (database, service tokens, state folders) may be missing.
 *
 * @param text the text of the file
 * @param env the environment, which overrides the file
 */
export function checkSettings(
  text: string,
  env: Environment,
  made: Environment,
  readFile: (path: string) => string,
): readonly string[] {
  const file = parse(text);
  const known = settings().map(({ name }) => name);
  const faults = new Set<string>();
  for (const name of Object.keys(file)) {
    const setting = name.replace(/_FILE$/, '');
    if (known.includes(setting) || known.includes(name) || AROUND.includes(name)) continue;
    const gone = whatReplaces(setting);
    if (gone !== null) {
      faults.add(`${name}: no longer exists; ${gone}`);
      continue;
    }
    const meant = nearestWord(name, known);
    faults.add(`${name}: there is no such setting${meant === null ? '' : `; did you mean ${meant}?`}`);
  }
  const merged = mergeSettings(file, env);
  for (const schema of Object.values(SERVICE_CONFIGS)) {
    try {
      parseConfig(schema, mergeSettings(made, merged), readFile);
    } catch (error) {
      if (!isAishError(error, 'invalid_config')) throw error;
      for (const line of error.message.split('\n').slice(1)) faults.add(line.trim());
    }
  }
  return [...faults];
}

/** Generates the reference of all settings as Markdown, stored in docs/configuration.md. */
export function settingsReference(): string {
  const rows = settings().map(({ name, about, byDefault, isRequired, isSecret, services }) => {
    const value = isRequired ? 'required' : byDefault === null ? '' : `\`${byDefault}\``;
    const notes = isSecret ? ' Secret: preferably in a file, with `' + name + '_FILE`.' : '';
    return `| \`${name}\` | ${cell(about)}.${notes} | ${value} | ${services.join(', ')} |`;
  });
  return ['| setting | | default | read by |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** Generates a settings file with every setting that a person may want to change and its default, all commented out. */
export function settingsExample(): string {
  return settings()
    .filter(({ isRequired }) => !isRequired)
    .map(({ name, about, byDefault }) => `# ${about}.\n#${name}=${byDefault ?? ''}\n`)
    .join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
