import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { verifies } from '../requirements.js';
import { dashboardQueries } from '../support/dashboard.js';
import { ROOT } from '../support/service.process.js';

const run = promisify(execFile);

const Service = z.object({
  image: z.string(),
  build: z.unknown().optional(),
  user: z.string().optional(),
  init: z.boolean().optional(),
  read_only: z.boolean().optional(),
  privileged: z.boolean().optional(),
  network_mode: z.string().optional(),
  cap_drop: z.array(z.string()).optional(),
  cap_add: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).optional(),
  pids_limit: z.number().optional(),
  mem_limit: z.string().optional(),
  restart: z.string().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
  logging: z.object({ options: z.record(z.string(), z.string()) }).optional(),
  environment: z.record(z.string(), z.string().nullable()).default({}),
  networks: z.record(z.string(), z.unknown()).default({}),
  ports: z.array(z.object({ host_ip: z.string().optional(), published: z.string() })).default([]),
  volumes: z.array(z.object({ type: z.string(), source: z.string().optional(), target: z.string() })).default([]),
});
type Service = z.infer<typeof Service>;
const Config = z.object({
  services: z.record(z.string(), Service),
  networks: z.record(z.string(), z.object({ internal: z.boolean().optional() })),
});

const PROFILES: Readonly<Record<string, readonly string[]>> = {
  llama: ['llama'],
  gpu: ['llama-gpu'],
  tls: ['folders', 'tls'],
  monitoring: ['folders', 'grafana', 'prometheus'],
  ntfy: ['folders', 'ntfy'],
};
const ALWAYS = ['api', 'migrate', 'norris-worker', 'postgres', 'redis', 'sandbox', 'sandbox-image', 'secrets'];
/** These services run once and end. */
const ONCE = ['folders', 'migrate', 'sandbox-image', 'secrets'];

async function config(profiles: readonly string[], files: readonly string[] = []): Promise<z.infer<typeof Config>> {
  const args = [
    ...['docker-compose.yml', ...files].flatMap((file) => ['--file', file]),
    ...profiles.flatMap((profile) => ['--profile', profile]),
  ];
  const { stdout } = await run('docker', ['compose', ...args, 'config', '--format', 'json'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' },
    maxBuffer: 16 * 1024 * 1024,
  });
  return Config.parse(JSON.parse(stdout));
}

const everything = () => config(Object.keys(PROFILES), ['deploy/compose/socket-proxy.yml']);

describe('the profiles of docker-compose.yml', () => {
  it(
    verifies('compose.profiles'),
    async () => {
      const names = Object.keys(PROFILES);
      const without = names.map((left) => names.filter((name) => name !== left));
      for (const chosen of [[], ...names.map((name) => [name]), ...without, names]) {
        const { services } = await config(chosen);
        const expected = new Set([...ALWAYS, ...chosen.flatMap((name) => PROFILES[name] ?? [])]);
        expect([chosen, Object.keys(services).toSorted()]).toEqual([chosen, [...expected].toSorted()]);
      }
    },
    60_000,
  );

  it(verifies('compose.closed'), async () => {
    const { services } = await everything();
    for (const [name, service] of Object.entries(services)) {
      const { init, read_only, privileged, cap_drop, security_opt, logging, mem_limit, pids_limit } = service;
      expect([name, init, read_only, privileged ?? false, cap_drop]).toEqual([name, true, true, false, ['ALL']]);
      expect([name, security_opt]).toEqual([name, ['no-new-privileges:true']]);
      expect([name, logging?.options]).toEqual([name, { 'max-size': '10m', 'max-file': '3' }]);
      expect([name, Number(mem_limit) > 0, Number(pids_limit) > 0]).toEqual([name, true, true]);
      const isForGood = !ONCE.includes(name);
      expect([name, service.restart, service.healthcheck !== undefined]).toEqual([
        name,
        isForGood ? 'unless-stopped' : undefined,
        isForGood,
      ]);
      expect([name, service.volumes.filter(({ target }) => target === '/' || target === '/proc')]).toEqual([name, []]);
    }
    const added = Object.entries(services).filter(([, { cap_add }]) => cap_add.length > 0);
    expect(Object.fromEntries(added.map(([name, { cap_add }]) => [name, cap_add]))).toEqual({
      folders: ['CHOWN'],
      sandbox: ['SETUID', 'SETGID', 'KILL'],
      secrets: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'],
      tls: ['NET_BIND_SERVICE'],
    });
    const roots = Object.entries(services).filter(([, { user }]) => user === 'root' || user?.startsWith('0'));
    // The sandbox service changes to the user node, and the image of the proxy contains only the proxy.
    expect(roots.map(([name]) => name).toSorted()).toEqual(['sandbox', 'socket-proxy']);
  });

  it('each service in docker-compose.yml mounts only the folder of its own secrets', async () => {
    const { services } = await everything();
    const own = Object.entries(services).flatMap(([name, { volumes }]) =>
      volumes.filter(({ target }) => target === '/run/secrets/own').map(({ source }) => [name, source]),
    );
    const folder = (name: string) => expect.stringMatching(new RegExp(`/deploy/compose/secrets/${name}$`));
    const expected = ['api', 'norris-worker', 'sandbox'].map((name) => [name, folder(name)]);
    expect(Object.fromEntries(own)).toEqual(Object.fromEntries(expected));
    expect(own).toHaveLength(expected.length);
  });

  it('each service in docker-compose.yml gets only the generated secrets that it needs', async () => {
    const { services } = await everything();
    const mounted = Object.entries(services).map(([name, { volumes }]) => {
      const secret = volumes.filter(({ source, target }) => `${source} ${target}`.includes('secret'));
      return [name, secret.filter(({ target }) => target !== '/run/secrets/own').map(({ source }) => source)] as const;
    });
    const holders = Object.fromEntries(mounted.filter(([, sources]) => sources.length > 0));
    expect(holders).toEqual({
      api: ['secret-hosts', 'secret-store', 'secret-sandbox', 'secret-metrics'],
      grafana: ['secret-grafana'],
      migrate: ['secret-store'],
      'norris-worker': ['secret-hosts', 'secret-store', 'secret-sandbox', 'secret-metrics'],
      postgres: ['secret-postgres'],
      prometheus: ['secret-metrics'],
      redis: ['secret-redis'],
      sandbox: ['secret-sandbox', 'secret-metrics'],
      secrets: ['postgres', 'redis', 'store', 'sandbox', 'metrics', 'grafana', 'hosts'].map((name) => `secret-${name}`),
    });
  });

  it('the api trusts the proxy of the profile tls by name', async () => {
    const { services } = await everything();
    const { front } = z.object({ front: z.object({ aliases: z.array(z.string()) }) }).parse(services['tls']?.networks);
    expect(front.aliases).toEqual([services['api']?.environment['TRUSTED_PROXIES']]);
  });

  it('pin-images.sh pins the images of profiles, or says why not', async () => {
    const { stdout } = await run('deploy/compose/pin-images.sh', [], { cwd: ROOT });
    const lines = stdout.trim().split('\n');
    for (const line of lines)
      expect(line).toMatch(/^(\w+_IMAGE=\S+:\S+@sha256:[0-9a-f]{64}|# \w+_IMAGE=\S+: this engine knows no digest)$/);
    const text = readFileSync(`${ROOT}docker-compose.yml`, 'utf8');
    for (const [, name] of text.matchAll(/image: \$\{(\w+_IMAGE):-/g)) expect(stdout).toContain(`${name}=`);
    expect(lines.length).toBeGreaterThanOrEqual(10);
  });

  it('docker-compose.yml publishes services only on 127.0.0.1, except the public one', async () => {
    const { services } = await everything();
    const open = Object.entries(services).flatMap(([name, { ports }]) =>
      ports.map(({ host_ip }) => `${name} ${host_ip}`),
    );
    expect([...new Set(open)].toSorted()).toEqual([
      'api 127.0.0.1',
      'grafana 127.0.0.1',
      'ntfy 127.0.0.1',
      'tls 0.0.0.0',
    ]);
  });

  it('the networks in docker-compose.yml allow only the documented connections', async () => {
    const { services, networks } = await everything();
    const members = Object.fromEntries(
      Object.keys(networks).map((network) => [
        network,
        Object.keys(services)
          .filter((name) => services[name] !== undefined && network in services[name].networks)
          .toSorted(),
      ]),
    );
    expect(members).toEqual({
      front: ['api', 'grafana', 'ntfy', 'tls'],
      model: ['api', 'norris-worker'],
      llama: ['api', 'llama', 'llama-gpu', 'norris-worker'],
      data: ['api', 'migrate', 'norris-worker', 'postgres', 'redis'],
      sandbox: ['api', 'norris-worker', 'prometheus', 'sandbox'],
      monitoring: ['grafana', 'prometheus'],
      'way-out': ['sandbox'],
    });
    const internal = Object.keys(networks).filter((name) => networks[name]?.internal === true);
    expect(internal.toSorted()).toEqual(['data', 'llama', 'monitoring', 'sandbox']);
  });

  it("only the sandbox, or the proxy before it, has the engine's socket", async () => {
    const holders = async (files: readonly string[]) =>
      Object.entries((await config(Object.keys(PROFILES), files)).services)
        .filter(([, { volumes }]) => volumes.some(({ source }) => source?.includes('docker.sock')))
        .map(([name]) => name);
    expect(await holders([])).toEqual(['sandbox']);
    expect(await holders(['deploy/compose/socket-proxy.yml'])).toEqual(['socket-proxy']);
  });

  it(verifies('supply.pinned', 'third-party images in docker-compose.yml have a tag with their version'), async () => {
    const { services } = await everything();
    const foreign = Object.values(services).filter(({ build }) => build === undefined);
    const loose = foreign
      .map(({ image }) => image)
      .filter((image) => !/:(server-(cuda-)?b\d+|v?\d+\.\d[\w.-]*)$/.test(image));
    expect(loose).toEqual([]);
  });
});

describe('the list of packages in a release', () => {
  it(
    verifies('supply.pinned', 'npm run sbom prints every package with its hash'),
    async () => {
      const { stdout } = await run('npm', ['run', '--silent', 'sbom'], { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 });
      const Sbom = z.object({
        bomFormat: z.literal('CycloneDX'),
        components: z.array(
          z.object({
            name: z.string(),
            purl: z.string(),
            hashes: z.array(z.unknown()).default([]),
            properties: z.array(z.object({ name: z.string() })).default([]),
          }),
        ),
      });
      const { components } = Sbom.parse(JSON.parse(stdout));
      const isForDevelopment = (wanted: string) =>
        components
          .filter(({ name }) => name === wanted)
          .map(({ properties }) => properties.some(({ name }) => name === 'cdx:npm:package:development'));
      expect(['fastify', 'bullmq', 'pg', 'zod', 'jest'].map(isForDevelopment)).toEqual([
        [false],
        [false],
        [false],
        expect.arrayContaining([false]),
        [true],
      ]);
      const ofOthers = components.filter(({ purl }) => !purl.includes('aish'));
      expect(ofOthers.filter(({ hashes }) => hashes.length === 0).map(({ name }) => name)).toEqual([]);
    },
    60_000,
  );
});

describe('the dashboard', () => {
  it('the queries of the dashboard are valid for Prometheus', () => {
    expect(dashboardQueries().length).toBeGreaterThan(20);
    expect(dashboardQueries().filter(({ faults }) => faults.length > 0)).toEqual([]);
  });
});
