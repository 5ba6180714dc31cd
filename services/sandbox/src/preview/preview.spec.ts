import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { CopyPreview } from '@aish/contracts/files';
import { createLogger, type RunningService } from '@aish/http';
import { Caller, cleanUp, docker, newTestSettings, until, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
const start = () =>
  startSandbox(ground.config, createLogger('error', 'sandbox'), { version: '0.0.0', handleSignals: false });
beforeAll(async () => {
  ground = await newTestSettings({ PREVIEW_MAX_MB: '4' });
  service = await start();
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
  await sandbox.run(
    'mkdir a b; printf 12345 > a/one; printf 12 > a/two; ln -s one a/link; printf abc > keep; printf xyz > edit',
  );
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

const path = (id = sandbox.workspaceId) => `/v1/workspaces/${id}/preview`;
const preview = async (command: string, timeoutMs = 10_000) => {
  const { status, body } = await sandbox.ask('POST', path(), { command, timeoutMs });
  expect([status, body]).toEqual([200, expect.anything()]);
  return CopyPreview.parse(body);
};
const copies = async () => {
  const filters = { label: [`dev.aish.instance=${ground.instance}`, 'dev.aish.preview'] };
  const helpers = { label: [`dev.aish.instance=${ground.instance}`, 'dev.aish.helper'] };
  return [
    ...(await docker.listVolumes({ filters })).Volumes,
    ...(await docker.listContainers({ all: true, filters: helpers })),
  ].length;
};

describe('previews', () => {
  it('a preview includes files that their owner cannot read', async () => {
    await sandbox.run('echo x > closed; chmod 000 closed');
    expect(await preview('rm -f closed')).toMatchObject({ removed: { count: 1, names: ['closed'] }, exitCode: 0 });
    await sandbox.run('rm -f closed');
  });

  it('a preview lists deleted, changed and new files, and changes nothing', async () => {
    const shown = await preview(
      'rm -r a; printf zyx > edit; printf new > b/new; touch keep; echo done; echo oops >&2; exit 3',
    );
    expect(shown).toEqual({
      removed: { count: 4, sizeBytes: 5 + 2 + 3, names: ['a', 'a/link', 'a/one', 'a/two'] },
      changed: { count: 1, sizeBytes: 3, names: ['edit'] },
      added: { count: 1, sizeBytes: 3, names: ['b/new'] },
      exitCode: 3,
      timedOut: false,
      output: 'done\noops\n',
      isOutputCut: false,
      durationMs: expect.any(Number),
      id: null,
      keeps: false,
      rerunReason: 'decided',
    });
    expect((await sandbox.run('cat a/one edit keep; ls b')).stdout).toBe('12345xyzabc');
    expect(await copies()).toBe(0);
  });

  it('a preview detects changed permissions, and changed content with the same time and size', async () => {
    const shown = await preview('touch -r keep /tmp/t; printf cba > keep; touch -r /tmp/t keep; chmod 700 edit');
    expect(shown.changed.names).toEqual(['edit', 'keep']);
  });

  it('a preview counts all changed files, but names only twenty and limits the output', async () => {
    const shown = await preview('touch $(seq -w 100); yes | head -c 100000');
    expect([shown.added.count, shown.added.names.length, shown.added.names[0]]).toEqual([100, 20, '001']);
    expect([shown.isOutputCut, shown.output.length]).toEqual([true, 8_192]);
  });

  it('a preview begins in the folder where the last command ended, and has no network', async () => {
    await sandbox.run('cd a; export WORD=carried');
    const shown = await preview('echo "$PWD $WORD"; ls /sys/class/net; id -u');
    expect(shown.output).toBe('/workspace/a carried\nlo\n1000\n');
    await sandbox.run('cd /workspace');
  });

  it('a preview does not run programs from a changed PATH', async () => {
    await sandbox.run('mkdir bin; echo "echo fake" >> bin/ls; chmod +x bin/ls; export PATH="/workspace/bin:$PATH"');
    expect((await preview('ls /workspace/bin')).output).toBe('ls\n');
    await sandbox.run('rm -r bin; unset PATH', { pinned: true });
  });

  it('a preview stops at its time limit, and its result records the timeout', async () => {
    const shown = await preview('rm keep; sleep 60', 1_500);
    expect(shown).toMatchObject({ exitCode: null, timedOut: true, removed: { names: ['keep'] } });
  });

  it('a preview of a missing or too large workspace is refused', async () => {
    await sandbox.run('truncate -s 5M large');
    expect(await sandbox.ask('POST', path(), { command: 'true' })).toMatchObject({
      status: 413,
      body: { code: 'preview_too_large' },
    });
    await sandbox.run('rm large');
    expect(await sandbox.ask('POST', path(randomUUID()), { command: 'true' })).toMatchObject({
      status: 404,
      body: { code: 'file_not_found' },
    });
    expect(await copies()).toBe(0);
  });

  it('the service removes the remains of a preview at its next start after a crash', async () => {
    const Labels = { 'dev.aish.instance': ground.instance, 'dev.aish.preview': randomUUID() };
    await docker.createVolume({ Name: `aish-prev-${ground.instance}-left`, Labels });
    const { 'dev.aish.instance': instance } = Labels;
    await docker.createContainer({
      Image: ground.config.SANDBOX_IMAGE,
      Labels: { 'dev.aish.instance': instance, 'dev.aish.helper': randomUUID() },
    });
    expect(await copies()).toBe(2);
    await service.app.close();
    service = await start();
    sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
    await until(async () => (await copies()) === 0, 'all is swept');
  });
});
