import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { DEMO_MODEL } from '@aish/contracts/models';
import { AishError, isAishError } from '@aish/contracts/problems';
import { SERVICE_CONFIGS, type ServiceName } from '@aish/contracts/settings';
import { SETTINGS_FILE, withSettingsFile, type Environment } from '@aish/contracts/settings-file';

export type { ServiceName } from '@aish/contracts/settings';

/** Values that the launcher found or created for the services. */
export interface Facts {
  readonly databaseUrl: string;
  /** The address on which the api listens. */
  readonly apiHost: string;
  readonly apiPort: number;
  readonly workerHealthPort: number;
  readonly sandboxPort: number;
  readonly sandboxTokenFile: string;
  readonly hostsKeyFile: string;
  readonly sandboxStateDir: string;
  readonly sandboxInstance: string;
  readonly sandboxImage: string;
  /** Set if the sandbox runs in a container. */
  readonly networkVolume: string | null;
  readonly dockerSocket: string | null;
  readonly tokenFile: string;
  /** The URL of the demo model, if it is used. */
  readonly demoUrl: string | null;
}

/** General environment variables that programs need and that are not settings of aish. */
const INHERITED = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'];

const HOST = '127.0.0.1';

/**
 * Settings that only the launcher decides, ignoring the environment, because embedded aish is one installation on
 * 127.0.0.1.
 */
const OURS = new Set(
  `DATABASE_URL REDIS_URL REDIS_SENTINELS REDIS_SENTINEL_NAME REDIS_SENTINEL_PASSWORD HOST PORT HEALTH_HOST HEALTH_PORT TOKEN_FILE SANDBOX_URL SANDBOX_TOKEN SANDBOX_STATE_DIR
  SANDBOX_INSTANCE SANDBOX_IMAGE HOSTS_CA_KEY SANDBOX_NETWORK_DIR SANDBOX_NETWORK_VOLUME DOCKER_SOCKET`.split(/\s+/),
);

/**
 * Returns the environment with the settings from the data folder, or from the file in AISH_CONFIG.
 * @throws AishError `invalid_config` if the file cannot be read
 */
export function ownSettings(env: Environment, settingsFile: string): Environment {
  if (!env[SETTINGS_FILE] && !existsSync(settingsFile)) return env;
  const read = (path: string) => readFileSync(path, 'utf8');
  return {
    ...withSettingsFile({ ...env, [SETTINGS_FILE]: env[SETTINGS_FILE] || settingsFile }, read),
    [SETTINGS_FILE]: '',
  };
}

/**
 * Returns the whole environment of a service: general variables, the user's values for its own settings, and the
 * launcher's decisions. No service gets settings of another one: the sandbox gets no database, and the others get no
 * Docker socket.
 */
export function serviceEnv(service: ServiceName, user: Environment, facts: Facts): Record<string, string> {
  const env: Record<string, string> = {};
  const take = (name: string): void => {
    const value = user[name];
    if (value) env[name] = value;
  };
  for (const name of INHERITED) take(name);
  for (const name of Object.keys(SERVICE_CONFIGS[service].shape).filter((each) => !OURS.has(each))) {
    take(name);
    take(`${name}_FILE`);
  }
  if (service !== 'sandbox') {
    // The knowledge base is in the data folder, and is pushed with the user's own keys.
    env['KNOWLEDGE_DIR'] ??= join(dirname(facts.tokenFile), 'knowledge');
    take('SSH_AUTH_SOCK');
  }
  if (facts.demoUrl !== null && service !== 'sandbox') playDemo(env, facts.demoUrl);
  return Object.assign(env, decided(service, facts));
}

/**
 * Reports settings at once that would make the services fail at every start.
 * @throws AishError `invalid_config`, with one line per fault
 */
export function checkServiceEnvs(envs: Readonly<Record<ServiceName, Environment>>): void {
  const faults = new Set<string>();
  for (const [service, schema] of Object.entries(SERVICE_CONFIGS)) {
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
  const decider = { ...access, HOSTS_CA_KEY_FILE: facts.hostsKeyFile, DATABASE_URL: facts.databaseUrl };
  const ofService: Record<ServiceName, Record<string, string>> = {
    api: { ...decider, HOST: facts.apiHost, PORT: String(facts.apiPort), TOKEN_FILE: facts.tokenFile },
    'norris-worker': {
      ...decider,
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
      ...(facts.networkVolume === null ? {} : { SANDBOX_NETWORK_VOLUME: facts.networkVolume }),
      ...(facts.dockerSocket === null ? {} : { DOCKER_SOCKET: facts.dockerSocket }),
    },
  };
  return ofService[service];
}

/** Removes every setting of the preset `fast`, because a key or model name of another endpoint means nothing here. */
function playDemo(env: Record<string, string>, url: string): void {
  for (const name of ['FAST_BASE_URL', 'FAST_MODEL', 'FAST_API_KEY']) {
    delete env[name];
    delete env[`${name}_FILE`];
  }
  env['FAST_BASE_URL'] = url;
  env['FAST_MODEL'] = DEMO_MODEL;
  // A scripted model cannot judge whether a command is destructive, so only the rules do.
  env['SAFETY_SECOND_OPINION'] = 'off';
}
