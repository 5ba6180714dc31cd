import { execFile } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { verifies } from '../requirements.js';
import { ROOT } from '../support/service.process.js';

const run = promisify(execFile);
const FOLDER = `${ROOT}deploy/home`;
const SOCKET = '/var/run/docker.sock';
const CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'SETGID', 'SETUID'];
const text = (file: string): string => readFileSync(`${FOLDER}/${file}`, 'utf8');

const Compose = z.object({
  services: z.record(
    z.string(),
    z.object({
      privileged: z.boolean().optional(),
      cap_drop: z.array(z.string()).optional(),
      cap_add: z.array(z.string()).optional(),
      environment: z.record(z.string(), z.coerce.string()).default({}),
      ports: z.array(z.object({ host_ip: z.string().optional(), target: z.number() })).default([]),
      volumes: z.array(z.object({ source: z.string(), target: z.string() })).default([]),
    }),
  ),
});

/** The fields that umbrelOS and its app store expect, in the manifest of an app. */
const UmbrelApp = z.strictObject({
  manifestVersion: z.literal(1),
  id: z.string().regex(/^[a-z]+(-[a-z]+)*$/),
  category: z.string().min(1),
  name: z.string().min(1),
  version: z.string().min(1),
  tagline: z.string().min(1),
  description: z.string().min(1),
  releaseNotes: z.string(),
  developer: z.string().min(1),
  website: z.url(),
  dependencies: z.array(z.string()),
  repo: z.url(),
  support: z.url(),
  port: z.int(),
  gallery: z.array(z.string()),
  path: z.string(),
  defaultUsername: z.string(),
  defaultPassword: z.string(),
  submitter: z.string().min(1),
  submission: z.url(),
});

/** umbrelOS adds the image of its proxy. */
const OF_UMBREL = `${ROOT}tests/fixtures/umbrel-proxy.yml`;

async function composed(...files: readonly string[]): Promise<z.infer<typeof Compose>> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', APP_DATA_DIR: '/umbrel/aish-home' };
  const args = ['compose', ...files.flatMap((file) => ['--file', file]), 'config', '--format', 'json'];
  return Compose.parse(JSON.parse((await run('docker', args, { env })).stdout));
}

describe('the files for one machine', () => {
  it(
    verifies('home.files', 'the compose file publishes only the api, only on 127.0.0.1, with few capabilities'),
    async () => {
      const { services } = await composed(`${FOLDER}/compose.yml`);
      expect(Object.keys(services)).toEqual(['aish']);
      expect(services['aish']).toMatchObject({ cap_drop: ['ALL'], cap_add: CAPABILITIES });
      expect(services['aish']?.ports).toEqual([{ host_ip: '127.0.0.1', target: 7717 }]);
      expect(services['aish']?.volumes.map(({ target }) => target).toSorted()).toEqual(['/var/lib/aish', SOCKET]);
    },
    60_000,
  );

  it(
    verifies('home.files', 'the app of Umbrel has the required fields, and does not use its Docker socket'),
    async () => {
      const store = z
        .strictObject({ id: z.string(), name: z.string() })
        .parse(parse(text('umbrel/umbrel-app-store.yml')));
      const [id = ''] = readdirSync(`${FOLDER}/umbrel`).filter((name) => !name.includes('.'));
      const app = UmbrelApp.parse(parse(text(`umbrel/${id}/umbrel-app.yml`)));
      expect(app.id).toBe(id);
      expect(id.startsWith(`${store.id}-`)).toBe(true);
      const { version } = z
        .object({ version: z.string() })
        .parse(JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')));
      expect(app.version).toBe(version);
      const { services } = await composed(`${FOLDER}/umbrel/${id}/docker-compose.yml`, OF_UMBREL);
      expect(services['app_proxy']?.environment).toMatchObject({ APP_HOST: `${id}_aish_1`, APP_PORT: '7717' });
      expect(services['aish']?.privileged).toBeUndefined();
      for (const { ports, volumes } of Object.values(services)) {
        expect(ports).toEqual([]);
        expect(volumes.map(({ source }) => source)).not.toContain(SOCKET);
        // umbrelOS creates no folders for mounts.
        for (const { source } of volumes) {
          expect(existsSync(`${FOLDER}/umbrel/${id}/${source.replace('/umbrel/aish-home/', '')}/.gitkeep`)).toBe(true);
        }
      }
    },
    60_000,
  );

  it(verifies('home.files', 'the template of Unraid is valid XML with the port, the data and the socket'), async () => {
    const script = `import sys, json, xml.etree.ElementTree as e
root = e.parse(sys.argv[1]).getroot()
print(json.dumps([root.tag, root.attrib['version'], root.findtext('Name'), root.findtext('WebUI'), root.findtext('Privileged'),
  root.findtext('ExtraParams'), [(c.get('Type'), c.get('Target')) for c in root.findall('Config')]]))`;
    const { stdout } = await run('python3', ['-c', script, `${FOLDER}/unraid.xml`]);
    const [tag, version, name, page, privileged, extra, configs] = z
      .tuple([
        z.string(),
        z.string(),
        z.string(),
        z.string(),
        z.string(),
        z.string(),
        z.array(z.tuple([z.string(), z.string()])),
      ])
      .parse(JSON.parse(stdout));
    expect([tag, version, name, page, privileged]).toEqual([
      'Container',
      '2',
      'aish',
      'http://[IP]:[PORT:7717]/app/',
      'false',
    ]);
    expect([...extra.matchAll(/--cap-add=(\w+)/g)].map(([, capability]) => capability)).toEqual(CAPABILITIES);
    expect(configs).toEqual([
      ['Port', '7717'],
      ['Path', '/var/lib/aish'],
      ['Path', SOCKET],
      ['Variable', 'FAST_BASE_URL'],
    ]);
  });

  it(
    verifies('home.files', 'the systemd unit starts the launcher, and waits until it has stopped everything'),
    async () => {
      const unit = text('aish.service');
      const started = /^ExecStart=\/usr\/bin\/env node (\S+)/m.exec(unit)?.[1];
      expect(existsSync(`${ROOT}${started}`)).toBe(true);
      expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(15);
      const verified = await run('systemd-analyze', ['verify', `${FOLDER}/aish.service`]).catch((error) => error);
      if (verified.code === 'ENOENT') return; // this machine has no systemd
      expect(`${verified.stdout}${verified.stderr}`).not.toMatch(
        /aish\.service.*(Unknown|Failed to parse|Invalid|lvalue)/,
      );
    },
  );
});
