import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { DoctorReport } from '@aish/contracts/doctor';
import { ENGINE_CAPABILITIES } from '@aish/contracts/engine';
import { verifies } from '../../requirements.js';
import { aish } from '../../support/aish.command.js';
import { plan } from '../../support/plan.js';
import { eventually } from '../../support/eventually.js';
import { scriptedStack, type ScriptedStack } from '../../support/scripted-stack.js';

async function examine({ stack }: Pick<ScriptedStack, 'stack'>) {
  const result = await aish({ url: stack.client.url, tokenFile: join(stack.dir, 'token') }, ['doctor', '--json']);
  const { ok, checks } = DoctorReport.parse(JSON.parse(result.stdout));
  return {
    code: result.code,
    ok,
    states: Object.fromEntries(checks.map(({ name, state }) => [name, state])),
    checks,
  };
}

describe('aish doctor', () => {
  const running = scriptedStack(plan('GOAL: complete'));

  it(
    verifies('engines.behave', 'doctor shows one row for the engine, and one for each of its capabilities'),
    async () => {
      const { checks } = await eventually('the engine is tested', async () => {
        const report = await examine(running);
        return report.states['engine network'] === 'ok' && report;
      });
      const rows = checks.filter(({ name }) => name.startsWith('engine'));
      expect(rows.map(({ name }) => name)).toEqual(['engine', ...ENGINE_CAPABILITIES.map((name) => `engine ${name}`)]);
      expect(rows[0]?.detail).toMatch(/^Docker \d[^,]*, runc, \/.*docker\.sock$/);
      for (const { state, detail } of rows.slice(1)) expect(detail).toMatch(state === 'ok' ? /^yes/ : /^no: /);
    },
    60_000,
  );

  it(
    verifies('doctor.finds'),
    async () => {
      expect(await examine(running)).toMatchObject({
        code: 0,
        ok: true,
        states: { client: 'ok', database: 'ok', queue: 'ok', worker: 'ok', sandbox: 'ok', knowledge: 'off' },
      });
      await running.stack.sandbox.kill('SIGTERM');
      await running.model.close();
      const ill = await examine(running);
      expect(ill).toMatchObject({
        code: 1,
        ok: false,
        states: { database: 'ok', sandbox: 'error', 'model fast': 'error', 'model deep': 'error' },
      });
      for (const { state, advice } of ill.checks) if (state === 'error') expect(advice).toMatch(/\w{3,}/);
    },
    60_000,
  );
});

describe('host folders in aish doctor', () => {
  let folder: string;
  // Only root can mount a file system that cannot have an overlay.
  const isRoot = process.getuid?.() === 0;

  const running = scriptedStack(plan('GOAL: complete'), async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-doctor-'));
    const at = (name: string) => join(folder, name);
    for (const name of ['media', 'open', 'odd', 'lower', 'upper', 'work']) await mkdir(at(name));
    const layers = `lowerdir=${at('lower')},upperdir=${at('upper')},workdir=${at('work')}`;
    if (isRoot) execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', layers, at('odd')]);
    const folders = [
      { name: 'media', hostPath: at('media'), containerPath: '/mnt/media', mode: 'held' },
      { name: 'open', hostPath: at('open'), containerPath: '/mnt/open', mode: 'direct' },
      ...(isRoot ? [{ name: 'odd', hostPath: at('odd'), containerPath: '/mnt/odd', mode: 'held' }] : []),
    ];
    return { env: { SANDBOX_LAYERS: 'on', SANDBOX_HOST_FOLDERS: JSON.stringify(folders) } };
  });

  afterAll(async () => {
    if (isRoot) execFileSync('umount', [join(folder, 'odd')]);
    await rm(folder, { recursive: true, force: true });
  });

  if (isRoot)
    it(
      verifies('doctor.finds', 'doctor names host folders whose changes cannot be held, and no space gets them'),
      async () => {
        const { code, states, checks } = await eventually('the folders are tried out', async () => {
          const report = await examine(running);
          return report.states['folder odd'] === 'error' && report;
        });
        expect(code).toBe(1);
        expect(states).toMatchObject({ 'folder media': 'ok', 'folder open': 'warning' });
        expect(checks.find(({ name }) => name === 'folder odd')).toMatchObject({
          detail: 'changes cannot be held: no overlay can be mounted over overlay',
          advice: expect.stringContaining('"mode":"read-only"'),
        });
        const refused = await running.stack.client.request('PATCH', '/v1/spaces/films', { hostFolders: ['odd'] });
        expect([refused.status, await refused.json()]).toMatchObject([400, { code: 'mount_not_allowed' }]);
      },
      60_000,
    );
});
