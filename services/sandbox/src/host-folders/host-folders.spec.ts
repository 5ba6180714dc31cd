import { execFileSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { parseConfig } from '@aish/contracts/config/parse-config';
import { SandboxConfig } from '@aish/contracts/config/sandbox.config';
import { SandboxStatus } from '@aish/contracts/runs';
import { createLogger, type RunningService } from '@aish/http';
import { Caller, cleanUp, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';
import { mountOptions } from './mount-options.js';
import { whyNotMounted } from '@aish/contracts/host-folders';

jest.setTimeout(30_000);

const warned: string[] = [];
const logger = createLogger('warn', 'sandbox', { write: (line: string) => void warned.push(line) });
const start = ({ config }: TestSettings) => startSandbox(config, logger, { version: '0.0.0', handleSignals: false });
let folder: string;
let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-host-'));
  await mkdir(join(folder, 'media/below'), { recursive: true });
  await mkdir(join(folder, 'inbox'));
  await writeFile(join(folder, 'media/film'), 'a film\n');
  await chmod(join(folder, 'inbox'), 0o777);
  await chmod(join(folder, 'media'), 0o777);
  await copyFile('/usr/bin/id', join(folder, 'media/id'));
  await chmod(join(folder, 'media/id'), 0o6755);
  await symlink(join(folder, 'media'), join(folder, 'link'));
  const folders = [
    { name: 'media', hostPath: join(folder, 'media'), containerPath: '/mnt/media' },
    { name: 'inbox', hostPath: join(folder, 'inbox'), containerPath: '/workspace/inbox', mode: 'direct' },
    { name: 'link', hostPath: join(folder, 'link'), containerPath: '/mnt/link' },
    { name: 'gone', hostPath: join(folder, 'gone'), containerPath: '/mnt/gone' },
  ];
  ground = await newTestSettings({ SANDBOX_HOST_FOLDERS: JSON.stringify(folders) });
  service = await start(ground);
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
  await rm(folder, { recursive: true, force: true });
});

describe('host folders', () => {
  it('a host folder is visible only to the run that asks for it', async () => {
    expect((await sandbox.run('cat /mnt/media/film', { hostFolders: ['media'] })).stdout).toBe('a film\n');
    expect((await sandbox.run('ls /mnt')).stdout).toBe('');
    expect((await sandbox.run('cat /mnt/link/film; ls /mnt', { hostFolders: ['link'] })).stdout).toBe('a film\nlink\n');
  });

  it('the service warns about a writable host folder whose file system allows setuid programs', async () => {
    const options = mountOptions(join(folder, 'inbox'), await readFile('/proc/self/mountinfo', 'utf8'));
    const isPlain = options.includes('nosuid') && options.includes('nodev');
    const warnings = warned.filter((line) => line.includes('is mounted without'));
    expect(warnings.map((line) => /writable host folder (\w+)/.exec(line)?.[1])).toEqual(isPlain ? [] : ['inbox']);
  });

  it('a host folder is read-only unless its configuration allows writing', async () => {
    const { stderr } = await sandbox.run(
      'touch /mnt/media/x; rm -f /mnt/media/film; mount -o remount,rw /mnt/media; echo kept > inbox/note',
      { hostFolders: ['media', 'inbox'] },
    );
    expect(stderr.match(/Read-only file system/g)).toHaveLength(2);
    expect(await readFile(join(folder, 'inbox/note'), 'utf8')).toBe('kept\n');
    expect(await readFile(join(folder, 'media/film'), 'utf8')).toBe('a film\n');
  });

  // Only root can create a mount for this check.
  if (process.getuid?.() === 0)
    it('mounts below a read-only host folder are also read-only', async () => {
      const below = join(folder, 'media/below');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', below]);
      try {
        const { stderr } = await sandbox.run('touch /mnt/media/below/x', { hostFolders: ['media'] });
        expect(stderr).toContain('Read-only file system');
      } finally {
        execFileSync('umount', [below]);
      }
    });

  it('a command gains no privileges from a setuid file in a host folder', async () => {
    const { stdout } = await sandbox.run('/mnt/media/id -u; /mnt/media/id -ru', { hostFolders: ['media'] });
    expect(stdout).toBe('1000\n1000\n');
  });

  it('a folder that is not on the allowlist is refused, and the error lists the allowed ones', async () => {
    const answer = await sandbox.ask('POST', '/v1/runs', sandbox.request('true', { hostFolders: ['media', 'etc'] }));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'mount_not_allowed', allowed: ['media', 'inbox', 'link', 'gone'] },
    });
    for (const path of ['../etc', '/etc', '']) {
      expect(await sandbox.ask('POST', '/v1/runs', { ...sandbox.request('true'), hostFolders: [path] })).toMatchObject({
        status: 400,
      });
    }
  });

  it('a run with a missing host folder is refused, and nothing runs', async () => {
    const request = sandbox.request('true', { hostFolders: ['gone'] });
    expect(await sandbox.ask('POST', '/v1/runs', request)).toMatchObject({
      status: 503,
      body: { code: 'mount_missing' },
    });
    expect(await sandbox.ask('GET', `/v1/runs/${request.runId}`)).toMatchObject({ status: 404 });
  });

  it('a host folder that has become a link to a protected path is refused', async () => {
    await rm(join(folder, 'link'));
    await symlink('/etc', join(folder, 'link'));
    const answer = await sandbox.ask('POST', '/v1/runs', sandbox.request('true', { hostFolders: ['link'] }));
    expect(answer).toMatchObject({
      status: 400,
      body: { code: 'mount_not_allowed', detail: expect.stringContaining('/etc') },
    });
    await rm(join(folder, 'link'));
    await symlink(join(folder, 'media'), join(folder, 'link'));
  });

  it('the status lists the host folders', async () => {
    const { hostFolders } = SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body);
    expect(hostFolders.slice(0, 2)).toEqual([
      { name: 'media', containerPath: '/mnt/media', readOnly: true, mode: 'read-only', whyNotHeld: null },
      { name: 'inbox', containerPath: '/workspace/inbox', readOnly: false, mode: 'direct', whyNotHeld: null },
    ]);
  });
});

describe('the allowlist of host folders', () => {
  const parse = (folders: unknown) =>
    parseConfig(
      SandboxConfig,
      { SANDBOX_TOKEN: 't'.repeat(16), SANDBOX_STATE_DIR: '/state', SANDBOX_HOST_FOLDERS: JSON.stringify(folders) },
      () => '',
    );
  const one = (over: object) => [{ name: 'a', hostPath: '/srv/a', containerPath: '/mnt/a', ...over }];

  it('a host folder is read-only by default, and changes to a writable one are held by default', () => {
    expect(parse(one({})).SANDBOX_HOST_FOLDERS).toEqual([
      { name: 'a', hostPath: '/srv/a', containerPath: '/mnt/a', mode: 'read-only' },
    ]);
    expect(ground.config.SANDBOX_NETWORK_DIR).toBeUndefined();
    // Changes to writable folders are held by default.
    expect(parse(one({ readOnly: false })).SANDBOX_HOST_FOLDERS).toMatchObject([{ mode: 'held' }]);
    expect(parse(one({ mode: 'direct' })).SANDBOX_HOST_FOLDERS).toMatchObject([{ mode: 'direct' }]);
  });

  it.each([
    ['no list', { name: 'a' }],
    ['a relative path', one({ hostPath: 'srv/a' })],
    ['..', one({ hostPath: '/srv/../etc' })],
    ['the root', one({ hostPath: '/' })],
    ['a path with options', one({ hostPath: '/srv/a:rw' })],
    ['a place over the system', one({ containerPath: '/usr/bin' })],
    ['a place over the workspace', one({ containerPath: '/workspace' })],
    ['a way out of /mnt', one({ containerPath: '/mnt/../etc' })],
    ['the place of the proxy', one({ containerPath: '/run/aish' })],
    ['one name twice', [...one({}), ...one({ containerPath: '/mnt/b' })]],
    ['one over another', [...one({}), ...one({ name: 'b', containerPath: '/mnt/a/b' })]],
    ['an unknown word', one({ readonly: false })],
    ['two modes', one({ mode: 'held', readOnly: true })],
    ['a held path that no mount option can hold', one({ mode: 'held', hostPath: '/srv/a\\b' })],
  ])('an allowlist of host folders with %s is refused', (_, folders) => {
    expect(() => parse(folders)).toThrow('SANDBOX_HOST_FOLDERS');
  });

  it.each([
    '/',
    '/etc',
    '/etc/ssl',
    '/proc',
    '/sys',
    '/dev',
    '/var',
    '/var/run/docker.sock',
    '/run',
    '/run/user/1000',
    '/var/lib/docker/volumes',
    '/usr/lib',
    '/srv/aish/state',
    '/srv/aish',
    '/srv/aish/state/network',
  ])('the allowlist of host folders cannot contain %s', (path) => {
    expect(whyNotMounted(path, ['/run/docker.sock', '/srv/aish/state'])).not.toBeNull();
  });

  it.each(['/srv/media', '/home/me/papers', '/mnt/disk', '/data', '/run/media/me/stick', '/var/backups', '/etcetera'])(
    'the allowlist of host folders can contain %s',
    (path) => expect(whyNotMounted(path, ['/run/docker.sock', '/srv/aish/state'])).toBeNull(),
  );

  it('the service does not start if a host folder exposes a protected path, even through a link', async () => {
    const allow = (hostPath: string) => {
      const folders = [{ name: 'a', hostPath, containerPath: '/mnt/a' }];
      return newTestSettings({ SANDBOX_HOST_FOLDERS: JSON.stringify(folders) });
    };
    await expect(allow('/etc/ssl')).rejects.toMatchObject({ code: 'invalid_config' });
    await symlink('/proc', join(folder, 'secret'));
    const bad = await allow(join(folder, 'secret'));
    await expect(start(bad)).rejects.toMatchObject({ code: 'invalid_config' });
    await cleanUp(bad);
  });
});
