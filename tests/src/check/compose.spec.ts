import { readFileSync } from 'node:fs';
import { SERVICE_CONFIGS, settings, type ServiceName } from '@aish/contracts/settings';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { verifies } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      environment: z.record(z.string(), z.string().nullable()).default({}),
      volumes: z.array(z.string()).default([]),
      cpu_shares: z.int().default(1024),
    }),
  ),
  volumes: z.record(z.string(), z.unknown()),
});
const compose = Compose.parse(parse(readFileSync(`${ROOT}docker-compose.yml`, 'utf8'), { merge: true }));
const SERVICES = Object.keys(SERVICE_CONFIGS) as ServiceName[];
/** These are not settings of a service. They belong to the `aish` command in the api's container, or to any program. */
const BESIDE = ['AISH_TOKEN_FILE', 'AISH_URL', 'TMPDIR', 'TZ'];

function of(service: ServiceName) {
  const found = compose.services[service];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${service}`);
  return found;
}

describe('docker-compose.yml', () => {
  it.each(SERVICES)(verifies('config.compose', 'docker-compose.yml passes every setting of %s'), (service) => {
    const { environment } = of(service);
    const own = settings().filter(({ services }) => services.includes(service));
    const missing = own.filter(({ name }) => !(name in environment) && !(`${name}_FILE` in environment));
    // To fix it, add a line `NAME:` to the service, or to a list shared by several services.
    expect(missing.map(({ name }) => name)).toEqual([]);
    const notByFile = own.filter(({ name, isSecret }) => isSecret && !(`${name}_FILE` in environment));
    expect(notByFile.map(({ name }) => name)).toEqual([]);
    const known = [...own.flatMap(({ name }) => [name, `${name}_FILE`]), ...BESIDE];
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
  });

  it.each(SERVICES)('each setting of %s is set once, and never from a variable with another name', (service) => {
    const entries = Object.entries(of(service).environment);
    // A service refuses to start if both are set.
    const twice = entries.filter(([name, value]) => value !== null && of(service).environment[`${name}_FILE`]);
    expect(twice).toEqual([]);
    // Under another name, a value from outside would not be the setting.
    const renamed = entries.filter(([name, value]) => {
      const from = /\$\{([A-Z_]+)/.exec(value ?? '')?.[1];
      return from !== undefined && from !== name && from !== 'COMPOSE_PROJECT_NAME';
    });
    expect(renamed).toEqual([]);
  });

  it('docker-compose.yml gives the api, Postgres and Redis more CPU than the sandbox, and workers less', () => {
    const shares = (name: string) => compose.services[name]?.cpu_shares ?? 0;
    const first = ['api', 'postgres', 'redis'].map(shares);
    expect(Math.min(...first)).toBeGreaterThanOrEqual(4 * shares('sandbox'));
    expect(shares('norris-worker')).toBeLessThan(shares('sandbox'));
  });

  it('docker-compose.yml stores the knowledge base and backups in volumes', () => {
    const { environment, volumes } = of('api');
    for (const name of ['KNOWLEDGE_DIR', 'BACKUP_DIR']) {
      const mount = volumes.find((each) => each.endsWith(`:${environment[name]}`));
      const volume = new RegExp(`^\\$\\{${name}:-([a-z-]+)\\}:`).exec(mount ?? '')?.[1];
      expect(Object.keys(compose.volumes)).toContain(volume);
    }
  });
});
