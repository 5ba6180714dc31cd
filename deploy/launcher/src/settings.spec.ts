import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkServiceEnvs, ownSettings, serviceEnv, type Facts } from './settings.js';

const facts: Facts = {
  databaseUrl: 'postgresql://postgres:p@127.0.0.1:5000/aish',
  apiHost: '127.0.0.1',
  apiPort: 7717,
  workerHealthPort: 7001,
  networkVolume: null,
  sandboxPort: 7002,
  sandboxTokenFile: '/d/secrets/sandbox-token',
  hostsKeyFile: '/d/secrets/hosts-ca-key',
  sandboxStateDir: '/d/sandbox',
  sandboxInstance: 'aish-1',
  sandboxImage: 'aish-sandbox:latest',
  dockerSocket: '/run/docker.sock',
  tokenFile: '/d/token',
  demoUrl: null,
};

const user = {
  PATH: '/bin',
  HOME: '/home/u',
  AWS_SECRET_ACCESS_KEY: 'not yours',
  NODE_OPTIONS: '--inspect',
  DATABASE_URL: 'postgresql://elsewhere/other',
  REDIS_URL: 'redis://elsewhere',
  HOST: '0.0.0.0',
  PORT: '1',
  FAST_BASE_URL: 'http://gpu:8080',
  FAST_API_KEY_FILE: '/key',
  WORKER_CONCURRENCY: '2',
  RUN_MEMORY_MB: '64',
  LOG_LEVEL: '',
};

describe('ownSettings', () => {
  it('settings of the launcher come from the data folder, and the environment overrides them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'aish-settings-'));
    try {
      const file = join(folder, 'aish.env');
      expect(ownSettings({ LOG_LEVEL: 'warn' }, file)).toEqual({ LOG_LEVEL: 'warn' });
      writeFileSync(file, 'LOG_LEVEL=debug\nFAST_BASE_URL=http://gpu:8080\n');
      expect(ownSettings({ LOG_LEVEL: 'warn' }, file)).toMatchObject({
        LOG_LEVEL: 'warn',
        FAST_BASE_URL: 'http://gpu:8080',
      });
      expect(() => ownSettings({ AISH_CONFIG: join(folder, 'other') }, file)).toThrow(/AISH_CONFIG: cannot read/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('serviceEnv', () => {
  it('each service gets only its own settings', () => {
    expect(serviceEnv('norris-worker', user, facts)).toEqual({
      PATH: '/bin',
      HOME: '/home/u',
      FAST_BASE_URL: 'http://gpu:8080',
      FAST_API_KEY_FILE: '/key',
      WORKER_CONCURRENCY: '2',
      KNOWLEDGE_DIR: '/d/knowledge',
      SANDBOX_URL: 'http://127.0.0.1:7002',
      SANDBOX_TOKEN_FILE: '/d/secrets/sandbox-token',
      HOSTS_CA_KEY_FILE: '/d/secrets/hosts-ca-key',
      DATABASE_URL: facts.databaseUrl,
      HEALTH_HOST: '127.0.0.1',
      HEALTH_PORT: '7001',
    });
  });

  it('the sandbox does not get the database, and no other service gets the Docker socket', () => {
    const sandbox = serviceEnv('sandbox', user, facts);
    expect(sandbox).toMatchObject({ DOCKER_SOCKET: '/run/docker.sock', RUN_MEMORY_MB: '64', HOST: '127.0.0.1' });
    expect(Object.keys(sandbox).filter((name) => /DATABASE|REDIS|FAST|HOSTS|TOKEN_FILE$/.test(name))).toEqual([
      'SANDBOX_TOKEN_FILE',
    ]);
    for (const name of ['api', 'norris-worker'] as const) {
      expect(Object.keys(serviceEnv(name, user, facts)).filter((each) => /DOCKER|RUN_/.test(each))).toEqual([]);
    }
  });

  it('a service listens on 127.0.0.1 and its own port, in any environment', () => {
    expect(serviceEnv('api', user, facts)).toMatchObject({ HOST: '127.0.0.1', PORT: '7717', TOKEN_FILE: '/d/token' });
  });

  it('the demo model replaces the whole preset, including the key', () => {
    const env = serviceEnv('api', { ...user, FAST_API_KEY: 'k' }, { ...facts, demoUrl: 'http://127.0.0.1:9' });
    expect(env).toMatchObject({ FAST_BASE_URL: 'http://127.0.0.1:9', FAST_MODEL: 'demo' });
    expect(Object.keys(env).filter((name) => name.startsWith('FAST_API_KEY'))).toEqual([]);
  });
});

describe('checkServiceEnvs', () => {
  it('all faults in the settings of all services are reported at once', () => {
    const bad = { ...user, WORKER_CONCURRENCY: 'many', RUN_CPUS: 'all', FAST_BASE_URL: 'gpu' };
    const env = (name: 'api' | 'norris-worker' | 'sandbox') => {
      const {
        SANDBOX_TOKEN_FILE: _,
        FAST_API_KEY_FILE: __,
        HOSTS_CA_KEY_FILE: ___,
        ...rest
      } = serviceEnv(name, bad, facts);
      return { ...rest, SANDBOX_TOKEN: 'x'.repeat(32) };
    };
    const check = () =>
      checkServiceEnvs({ api: env('api'), 'norris-worker': env('norris-worker'), sandbox: env('sandbox') });
    expect(check).toThrow(
      /^These settings are not valid:\n {2}FAST_BASE_URL.*\n {2}WORKER_CONCURRENCY.*\n {2}RUN_CPUS/,
    );
    expect(check).not.toThrow(/FAST_BASE_URL[^]*FAST_BASE_URL/);
  });
});
