import { readFileSync } from 'node:fs';
import {
  AishError,
  ApiConfig,
  REHEARSAL_MODEL,
  SandboxConfig,
  WorkerConfig,
  isAishError,
  parseConfig,
} from '@aish/contracts';

type Env = Readonly<Record<string, string | undefined>>;

export type ServiceName = 'api' | 'norris-worker' | 'sandbox';

/** What the launcher found out and made, and the services need. */
export interface Facts {
  readonly databaseUrl: string;
  readonly apiPort: number;
  readonly workerHealthPort: number;
  readonly sandboxPort: number;
  readonly sandboxTokenFile: string;
  readonly sandboxStateDir: string;
  readonly sandboxInstance: string;
  readonly sandboxImage: string;
  readonly dockerSocket: string | null;
  readonly tokenFile: string;
  /** URL of the rehearsal model, when it is to be used. */
  readonly rehearsalUrl: string | null;
}

/** What a program needs of its surroundings that is no setting of ours. */
const SURROUNDINGS = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

const SCHEMAS = { api: ApiConfig, 'norris-worker': WorkerConfig, sandbox: SandboxConfig } as const;

const HOST = '127.0.0.1';

/** Decided by the launcher alone, whatever the environment says: embedded aish is one house on 127.0.0.1. */
const OURS = new Set(
  `DATABASE_URL REDIS_URL HOST PORT HEALTH_HOST HEALTH_PORT TOKEN_FILE SANDBOX_URL SANDBOX_TOKEN SANDBOX_STATE_DIR
  SANDBOX_INSTANCE SANDBOX_IMAGE DOCKER_SOCKET`.split(/\s+/),
);

/**
 * The whole environment of a service: its surroundings, what the user set of its own settings, and what the launcher
 * decided. No service sees a setting of another one: the sandbox no database, the others no Docker socket.
 */
export function serviceEnv(service: ServiceName, user: Env, facts: Facts): Record<string, string> {
  const env: Record<string, string> = {};
  const take = (name: string): void => {
    const value = user[name];
    if (value) env[name] = value;
  };
  for (const name of SURROUNDINGS) take(name);
  for (const name of Object.keys(SCHEMAS[service].shape).filter((each) => !OURS.has(each))) {
    take(name);
    take(`${name}_FILE`);
  }
  if (facts.rehearsalUrl !== null && service !== 'sandbox') playRehearsal(env, facts.rehearsalUrl);
  return Object.assign(env, decided(service, facts));
}

/**
 * Says at once what the services would die of, again and again, at their start.
 * @throws AishError `invalid_config`, one line per fault.
 */
export function checkServiceEnvs(envs: Readonly<Record<ServiceName, Env>>): void {
  const faults = new Set<string>();
  for (const [service, schema] of Object.entries(SCHEMAS)) {
    try {
      parseConfig(schema, envs[service as ServiceName], (path) => readFileSync(path, 'utf8'));
    } catch (error) {
      if (!isAishError(error, 'invalid_config')) throw error;
      for (const line of error.message.split('\n').slice(1)) faults.add(line);
    }
  }
  if (faults.size === 0) return;
  throw new AishError('invalid_config', `These settings are not valid:\n${[...faults].join('\n')}`);
}

function decided(service: ServiceName, facts: Facts): Record<string, string> {
  const access = {
    SANDBOX_URL: `http://${HOST}:${facts.sandboxPort}`,
    SANDBOX_TOKEN_FILE: facts.sandboxTokenFile,
  };
  const ofService: Record<ServiceName, Record<string, string>> = {
    api: { ...access, DATABASE_URL: facts.databaseUrl, HOST, PORT: String(facts.apiPort), TOKEN_FILE: facts.tokenFile },
    'norris-worker': {
      ...access,
      DATABASE_URL: facts.databaseUrl,
      HEALTH_HOST: HOST,
      HEALTH_PORT: String(facts.workerHealthPort),
    },
    sandbox: {
      HOST,
      PORT: String(facts.sandboxPort),
      SANDBOX_TOKEN_FILE: facts.sandboxTokenFile,
      SANDBOX_STATE_DIR: facts.sandboxStateDir,
      SANDBOX_INSTANCE: facts.sandboxInstance,
      SANDBOX_IMAGE: facts.sandboxImage,
      ...(facts.dockerSocket === null ? {} : { DOCKER_SOCKET: facts.dockerSocket }),
    },
  };
  return ofService[service];
}

/** Every setting of the preset `fast` goes: a key or a name for another endpoint means nothing here. */
function playRehearsal(env: Record<string, string>, url: string): void {
  for (const name of ['FAST_BASE_URL', 'FAST_MODEL', 'FAST_API_KEY']) {
    delete env[name];
    delete env[`${name}_FILE`];
  }
  env['FAST_BASE_URL'] = url;
  env['FAST_MODEL'] = REHEARSAL_MODEL;
  // A script has no opinion on what is destructive; the rules judge alone.
  env['SAFETY_SECOND_OPINION'] = 'off';
}
