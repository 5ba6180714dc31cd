import { parse } from 'dotenv';
import { closest } from 'fastest-levenshtein';
import * as z from 'zod';
import { ApiConfig } from './config/api.config.js';
import { parseConfig } from './config/parse-config.js';
import { SandboxConfig } from './config/sandbox.config.js';
import { WorkerConfig } from './config/worker.config.js';
import { isAishError } from './problems.js';
import { mergeSettings, withSettingsFile, type Environment } from './settings-file.js';
import type { ShownSetting } from './shown-settings.js';

/** The services and what each takes. */
export const SERVICE_CONFIGS = { api: ApiConfig, 'norris-worker': WorkerConfig, sandbox: SandboxConfig } as const;
export type ServiceName = keyof typeof SERVICE_CONFIGS;

export interface Setting {
  readonly name: string;
  readonly about: string;
  /** As it would be written; null where there is none. */
  readonly byDefault: string | null;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly services: readonly ServiceName[];
}

// The servers' headers may hold one.
const SECRET = /(TOKEN|KEY|PASSWORD|SECRET)$|^MCP_SERVERS$/;

/** Every setting once, in the order of the schemas, with the services that read it. */
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

/** What applies where nothing is said. */
function usual(schema: z.ZodType): Pick<Setting, 'byDefault' | 'isRequired'> {
  const absent = schema.safeParse(undefined);
  return { byDefault: absent.success ? written(absent.data) : null, isRequired: !absent.success };
}

/** Lists and tables are written otherwise than they are read: theirs is no line of a settings file. */
function written(value: unknown): string | null {
  return ['string', 'number', 'boolean'].includes(typeof value) ? String(value) : null;
}

/** The settings of a service as they may be shown: no secret, no password inside a URL. */
export function redacted(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (value === undefined) return [name, value];
      if (SECRET.test(name)) return [name, '[redacted]'];
      return [name, typeof value === 'string' ? withoutPassword(value) : value];
    }),
  );
}

/** A token can also be the user name of a URL: `https://ghp_…@github.com/…`. */
function withoutPassword(text: string): string {
  return text
    .replace(/(\/\/[^/@:\s]*:)[^/@\s]*@/g, '$1[redacted]@')
    .replace(/(https?:\/\/)[^/@:\s]+@/g, '$1[redacted]@')
    .replace(/([?&][^=&\s]*(?:password|token|secret|key)[^=&\s]*=)[^&\s]+/gi, '$1[redacted]');
}

/**
 * What a service runs with, setting by setting, and who said it; for people, so without secrets.
 * @throws AishError `invalid_config` as {@link parseConfig} does.
 */
export function shownSettings(
  service: ServiceName,
  env: Environment,
  readFile: (path: string) => string,
): readonly ShownSetting[] {
  const merged = withSettingsFile(env, readFile);
  const said = (from: Environment, name: string): boolean => Boolean(from[name] || from[`${name}_FILE`]);
  const own: Readonly<Record<string, unknown>> = SERVICE_CONFIGS[service].shape;
  return settings()
    .filter(({ services }) => services.includes(service))
    .map(({ name, about, isSecret }): ShownSetting => {
      const { byDefault } = usual(own[name] as z.ZodType);
      const path = merged[`${name}_FILE`];
      const text = path ? readFile(path).replace(/\r?\n$/, '') : merged[name];
      const source = said(env, name) ? 'environment' : said(merged, name) ? 'file' : 'default';
      const value = source === 'default' ? byDefault : withoutPassword(text ?? '');
      return { name, about, value: isSecret ? null : value, byDefault, isSecret, source };
    });
}

/** Settings that programs around the services read: compose, the launcher, the client. No service knows them. */
const AROUND = 'AISH_PORT AISH_URL AISH_DATA AISH_TOKEN_FILE AISH_SECRETS_DIR DOCKER_SOCKET COMPOSE_PROFILES TZ'.split(
  ' ',
);

/** Settings that aish had once and that one value serves. */
const SETTLED = new Set(
  (
    'TOOL_TIMEOUT_MS MAX_TOOL_DEPTH CHAT_STOP_ON_DISCONNECT SHUTDOWN_GRACE_MS OIDC_SCOPES OIDC_TOKEN_DAYS ' +
    'MEMORY_INJECT_MAX_CHARS STDIO_PROGRAMS_MAX OUTCOME_RETENTION_HOURS SAFETY_TIMEOUT_MS'
  ).split(' '),
);
const OF_PRESET =
  /^(?<preset>FAST|DEEP|MODEL)_(?<field>TEMPERATURE|MAX_TOKENS|TOKEN_BUDGET|MAX_TURNS|FALLBACK|\w+_TIMEOUT_MS)$/;

/** What to do about a setting that aish had once; null for others. */
function whatReplaces(setting: string): string | null {
  if (SETTLED.has(setting)) return 'aish has one good value';
  if (setting === 'MCP_HOSTS' || setting === 'WEB_HOSTS') return 'put it into ALLOWED_HOSTS';
  if (setting === 'MCP_OAUTH_CALLBACK_URL') return 'PUBLIC_URL says it';
  const { preset, field } = OF_PRESET.exec(setting)?.groups ?? {};
  if (preset === undefined || field === undefined) return null;
  const name = field.toLowerCase().replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `put "${name}" of preset ${preset === 'MODEL' ? 'fast, and of others,' : preset.toLowerCase()} into PRESETS`;
}

/**
 * What is wrong with a settings file, everything at once, one line each; empty when nothing is. Settings that the
 * deployment makes itself (database, service tokens, state folders) may be missing from it.
 * @param text the file; @param env what the environment says, which counts before the file.
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
      faults.add(`${name}: is gone; ${gone}`);
      continue;
    }
    faults.add(`${name}: there is no such setting; did you mean ${closest(name, known)}?`);
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

/** The reference of all settings, as Markdown. docs/configuration.md holds it. */
export function settingsReference(): string {
  const rows = settings().map(({ name, about, byDefault, isRequired, isSecret, services }) => {
    const value = isRequired ? 'required' : byDefault === null ? '' : `\`${byDefault}\``;
    const notes = isSecret ? ' Secret: better in a file, `' + name + '_FILE`.' : '';
    return `| \`${name}\` | ${cell(about)}.${notes} | ${value} | ${services.join(', ')} |`;
  });
  return ['| setting | | default | read by |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** A settings file with every setting that a person may want to change, each with its default, none of them set. */
export function settingsExample(): string {
  return settings()
    .filter(({ isRequired }) => !isRequired)
    .map(({ name, about, byDefault }) => `# ${about}.\n#${name}=${byDefault ?? ''}\n`)
    .join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
