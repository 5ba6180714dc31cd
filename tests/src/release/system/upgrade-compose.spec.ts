import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GoalList } from '@aish/contracts/goals';
import { Health } from '@aish/contracts/health';
import { verifies } from '../../requirements.js';
import { startAish, type RunningCommand } from '../../support/aish.command.js';
import { ApiClient } from '../../support/api.client.js';
import { closeAll } from '../../support/close-all.js';
import { makeComposedReleases } from '../../support/composed.releases.js';
import { buildImages, BUILD_TIMEOUT_MS } from '../../support/images.js';
import { ROOT } from '../../support/service.process.js';
import { removeWorkspaces } from '../../support/workspaces.js';

const run = promisify(execFile);

describe('aish upgrade with docker compose', () => {
  const project = `aish-test-${randomUUID().slice(0, 8)}`;
  const name = `up${project.slice(-8)}`;
  let dir: string;
  let root: string;

  const compose = async (...args: readonly string[]): Promise<string> =>
    (await run('docker', ['compose', ...args], { cwd: root, timeout: 300_000 })).stdout.trim();
  const upgrade = (...args: readonly string[]): RunningCommand =>
    startAish(null, ['upgrade', ...args], { AISH_DATA: join(dir, 'none') }, 300_000, root);
  const client = async (): Promise<ApiClient> =>
    new ApiClient(
      `http://${await compose('port', 'api', '7717')}`,
      await compose('exec', '-T', 'api', 'cat', '/var/lib/aish/token'),
    );
  const state = async () => {
    const api = await client();
    return {
      version: (await api.json(Health, 'GET', '/v1/health')).version,
      goals: (await api.json(GoalList, 'GET', '/v1/goals')).items.map(({ text }) => text),
      workers: (await compose('ps', '--quiet', 'norris-worker')).split('\n').length,
      commit: (await run('git', ['-C', root, 'describe', '--tags'])).stdout.trim(),
    };
  };
  const query = (statement: string): Promise<string> =>
    compose('exec', '-T', 'postgres', 'psql', '-U', 'aish', '-d', 'aish', '-qAt', '-c', statement);

  beforeAll(async () => {
    await buildImages();
    dir = await mkdtemp(join(tmpdir(), 'aish-up-compose-'));
    root = join(dir, 'aish');
    await makeComposedReleases(join(dir, 'releases'), name, [
      { version: '0.1.0' },
      { version: '0.2.0', table: 'second' },
      { version: '0.3.0', table: 'third', isBroken: true },
    ]);
    await run('git', ['clone', '--quiet', '--branch', 'v0.1.0', join(dir, 'releases'), root]);
    await writeFile(join(root, '.env'), `COMPOSE_PROJECT_NAME=${project}\nAISH_PORT=0\n`);
    await compose('build', '--quiet');
    await compose('up', '--detach', '--no-build', '--wait', '--scale', 'norris-worker=2');
    await (await client()).createGoal('from before');
  }, BUILD_TIMEOUT_MS);

  afterAll(
    () =>
      closeAll(
        () => compose('down', '--volumes', '--timeout', '5'),
        () => removeWorkspaces(project),
        async () => {
          const { stdout } = await run('docker', ['images', '--format', '{{.Repository}}:{{.Tag}}', `aish-${name}-*`]);
          await run('docker', ['image', 'rm', '--force', ...stdout.trim().split('\n')]);
        },
        () => rm(dir, { recursive: true, force: true }),
      ),
    120_000,
  );

  it(
    verifies('upgrade.compose'),
    async () => {
      const first = upgrade(`${join(dir, 'releases')}#v0.2.0`, '--yes');
      await first.says(/Building aish 0\.2\.0/);
      const second = await upgrade('--yes').ended();
      expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('Another aish upgrade is working') });
      const { code, stdout, stderr } = await first.ended();
      expect({ code, stdout, stderr }).toMatchObject({ code: 0, stdout: expect.stringContaining('aish 0.2.0 runs') });
      expect(await state()).toEqual({ version: '0.2.0', goals: ['from before'], workers: 2, commit: 'v0.2.0' });
      expect(await query('select count(*) from second')).toBe('0');
    },
    300_000,
  );

  it(
    verifies('upgrade.compose', 'if the new version fails, the old one runs again with its database and its workers'),
    async () => {
      const { code, stdout } = await upgrade('--yes').ended();
      expect({ code, stdout }).toMatchObject({ code: 5, stdout: expect.stringContaining('aish 0.2.0 runs again') });
      expect(await state()).toEqual({ version: '0.2.0', goals: ['from before'], workers: 2, commit: 'v0.2.0' });
      expect(await query(`select to_regclass('third') is null`)).toBe('t');
      expect(await readFile(join(root, '.git/aish-upgrade.json'), 'utf8')).toContain('"undone"');
    },
    300_000,
  );

  it(
    verifies('home.uninstall', 'uninstall.sh compose removes the containers, volumes and kept images of the project'),
    async () => {
      const script = join(root, 'deploy/home/uninstall.sh');
      await mkdir(dirname(script), { recursive: true });
      await copyFile(`${ROOT}deploy/home/uninstall.sh`, script);
      const all = async (): Promise<string> => {
        const ofProject = `label=com.docker.compose.project=${project}`;
        const [containers, volumes, images] = await Promise.all([
          run('docker', ['ps', '--all', '--quiet', '--filter', ofProject]),
          run('docker', ['volume', 'ls', '--quiet', '--filter', ofProject]),
          run('docker', ['images', '--quiet', `aish-${name}-*:*before-upgrade`]),
        ]);
        return [containers, volumes, images].map(({ stdout }) => stdout.trim() !== '').join();
      };
      expect(await all()).toBe('true,true,true');
      const home = { HOME: dir, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '', XDG_CACHE_HOME: '', AISH_CACHE: '' };
      const env = { ...process.env, ...home };
      const { stdout } = await run('bash', [script, 'compose', '--yes'], { env, timeout: 120_000 });
      expect(stdout).toContain('aish is gone');
      expect(await all()).toBe('false,false,false');
    },
    180_000,
  );
});
