import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { SandboxStatus } from '@aish/contracts/runs';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { cleanUp, docker, newTestSettings, until, type TestSettings } from '../../testing/sandbox.fixture.js';
import { volumeName } from '../engine/container-spec.js';

jest.setTimeout(120_000);

let ground: TestSettings;
let service: Service | null;

const start = async (env: Readonly<Record<string, string>>) => {
  service = await startService({ ...ground, env: { ...ground.env, ...env } });
  return service.sandbox;
};
const stop = async () => {
  if (service !== null) await stopService(service, 'SIGTERM');
  service = null;
};
const isOverlay = async (workspaceId: string) => {
  // The service may be about to replace the volume.
  const { Volumes } = await docker.listVolumes({ filters: { name: [volumeName(ground.instance, workspaceId)] } });
  return Volumes[0]?.Options?.['type'] === 'overlay';
};

describe('workspaces from before layers existed', () => {
  beforeEach(async () => {
    ground = await newTestSettings();
  });
  afterEach(async () => {
    await stop();
    await cleanUp(ground);
  });

  it('an old workspace becomes a base layer with all its files, and later effects are reported', async () => {
    const before = await start({ SANDBOX_LAYERS: 'off' });
    const { workspaceId } = before;
    const filled = await before.run(
      'echo old > old; ln old twice; mkdir -m 700 d; echo x > d/x; truncate -s 9M d/sparse; ln -s old link; touch -d 2001-02-03 d; cd d',
    );
    expect(filled.outcome.effects).toBeUndefined();
    expect(await isOverlay(workspaceId)).toBe(false);
    const look =
      'cd /workspace; stat -c "%n %a %U %h %s %Y" old twice d/x d/sparse; stat -c "%a %Y" d; readlink link; du -k d/sparse';
    const { stdout } = await before.run(look, { workspaceId, carryOver: false });
    await stop();

    const after = await start({ SANDBOX_LAYERS: 'on' });
    await until(() => isOverlay(workspaceId), 'it is taken over');
    expect((await after.run(look, { workspaceId, carryOver: false })).stdout).toBe(stdout);
    const { outcome } = await after.run('pwd; rm x', { workspaceId });
    expect(outcome).toMatchObject({ output: '/workspace/d\n', effects: { deleted: { files: 1, paths: ['d/x'] } } });
  });

  it('a workspace still has its files if layers are turned off after a crash that removed its volume', async () => {
    const on = await start({ SANDBOX_LAYERS: 'on' });
    const { workspaceId } = on;
    await on.run('echo kept > kept');
    await stop();
    // The service is killed after it has removed the volume and before it creates the new one.
    await until(async () => {
      await docker.getVolume(volumeName(ground.instance, workspaceId)).remove();
      return true;
    }, 'its volume is gone');
    const off = await start({ SANDBOX_LAYERS: 'off' });
    expect((await off.run('cat kept', { workspaceId })).stdout).toBe('kept\n');
  });
});

describe('engines without support for layers', () => {
  it('commands run in plain volumes if the engine does not support layers, and the status gives the reason', async () => {
    const { config } = await newTestSettings();
    const without = await docker.createContainer({
      Image: config.SANDBOX_IMAGE,
      User: '0',
      Cmd: ['bash', '-c', 'rm /usr/bin/python3*'],
    });
    await without.start();
    await without.wait();
    const tag = `spec-${Date.now()}`;
    await without.commit({ repo: 'aish-spec-no-python', tag });
    await without.remove();
    ground = await newTestSettings({ SANDBOX_IMAGE: `aish-spec-no-python:${tag}` });
    try {
      const sandbox = await start({});
      const { stdout, outcome } = await sandbox.run('echo 1 > file; cat file');
      expect([stdout, outcome.effects]).toEqual(['1\n', undefined]);
      expect(await isOverlay(sandbox.workspaceId)).toBe(false);
      const { whyNoLayers } = SandboxStatus.parse((await sandbox.ask('GET', '/v1/status')).body);
      expect(whyNoLayers).toMatch(/manages the layers.*python3/);
    } finally {
      await stop();
      await cleanUp(ground);
      await docker.getImage(`aish-spec-no-python:${tag}`).remove();
    }
  });
});
