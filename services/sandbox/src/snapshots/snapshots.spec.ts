import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Snapshot, SnapshotList } from '@aish/contracts/files';
import { createLogger, type RunningService } from '@aish/http';
import { Caller, cleanUp, docker, newTestSettings, until, type TestSettings } from '../../testing/sandbox.fixture.js';
import { startSandbox } from '../start-sandbox.js';

jest.setTimeout(60_000);

let ground: TestSettings;
let service: RunningService;
let sandbox: Caller;
const start = async () => {
  const logger = createLogger('error', 'sandbox');
  service = await startSandbox(ground.config, logger, { version: '0.0.0', handleSignals: false });
  sandbox = new Caller(service.url, ground.config.SANDBOX_TOKEN);
};
beforeAll(async () => {
  ground = await newTestSettings({ SNAPSHOTS_MAX_MB: '3', SANDBOX_LAYERS: 'off' });
  await start();
});
afterAll(async () => {
  await service.app.close();
  await cleanUp(ground);
});

const path = () => `/v1/workspaces/${sandbox.workspaceId}/snapshots`;
const take = (actionId: string) => sandbox.ask('POST', path(), { actionId });
const restore = (actionId: string) => sandbox.ask('POST', `${path()}/${actionId}/restore`);
const listed = async () =>
  SnapshotList.parse((await sandbox.ask('GET', path())).body).items.map(({ actionId }) => actionId);
const volumes = async () => {
  const filters = { label: [`dev.aish.instance=${ground.instance}`, 'dev.aish.snapshot'] };
  return (await docker.listVolumes({ filters })).Volumes.map(({ Name }) => Name);
};

describe('snapshots', () => {
  it('a snapshot restores the workspace, and is taken once for each action', async () => {
    await sandbox.run('mkdir a; echo one > a/one; chmod 640 a/one; ln -s a/one link; touch -d 2001-02-03 a/one');
    const action = randomUUID();
    const taken = Snapshot.parse((await take(action)).body);
    expect(taken).toMatchObject({ actionId: action, sizeBytes: expect.any(Number) });
    await sandbox.run('rm -r a; echo junk > junk; mkdir locked; touch locked/x; chmod 500 locked');
    expect((await take(action)).body).toEqual(taken);
    expect(await restore(action)).toMatchObject({ status: 200, body: taken });
    expect((await sandbox.run('ls; stat -c "%a %y %U" a/one; cat link')).stdout).toMatch(
      /^a\nlink\n640 2001-02-03 .* aish\none\n$/,
    );
    expect(await listed()).toEqual([action]);
  });

  it('a new snapshot replaces an older one, and a workspace that is too large gets no snapshot', async () => {
    const [first] = await listed();
    const [second, third, fourth] = [randomUUID(), randomUUID(), randomUUID()];
    await sandbox.run('truncate -s 1M large; head -c 1M /dev/zero > large');
    expect((await take(second)).status).toBe(200);
    await sandbox.run('head -c 2M /dev/zero > large');
    expect((await take(third)).status).toBe(200);
    expect(await listed()).toEqual([third]);
    expect((await volumes()).length).toBe(1);
    await sandbox.run('head -c 4M /dev/zero > large');
    expect(await take(fourth)).toMatchObject({ status: 413, body: { code: 'snapshot_too_large' } });
    expect(await listed()).toEqual([third]);
    expect(await restore(String(first))).toMatchObject({ status: 404, body: { code: 'snapshot_not_found' } });
    expect(await sandbox.ask('DELETE', `${path()}/${third}`)).toMatchObject({ status: 204 });
    expect(await volumes()).toEqual([]);
    await sandbox.run('rm large');
  });

  it('a snapshot is not restored while a command runs', async () => {
    const action = randomUUID();
    await take(action);
    const request = sandbox.request('sleep 60');
    const ending = sandbox.toEnd(request);
    await until(async () => (await sandbox.ask('GET', `/v1/runs/${request.runId}`)).status === 200, 'it is known');
    expect(await restore(action)).toMatchObject({ status: 409, body: { code: 'locked' } });
    await sandbox.cancel(request.runId);
    await ending;
  });

  it('no command sees a half-restored workspace, and a snapshot also restores the carried state', async () => {
    const action = randomUUID();
    await sandbox.run('mkdir -p place many; cd place; export WHERE=there; touch ../many/{1..3000}');
    await take(action);
    await sandbox.run('cd /workspace; export WHERE=elsewhere; rm -r many; touch new');
    const restoring = restore(action);
    // Whenever the command comes, it sees either the complete old workspace or the complete new one.
    const seen = await Promise.all(
      [0, 60, 120, 180, 240, 300, 360, 420].map(async (delayMs) => {
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        return (await sandbox.run('ls /workspace/many 2>/dev/null | wc -l', { carryOver: false })).stdout.trim();
      }),
    );
    const { status } = await restoring;
    expect(seen.filter((count) => count !== '0' && count !== '3000')).toEqual([]);
    // An earlier run makes the restore fail, and the test requests the restore again.
    if (status !== 200) await until(async () => (await restore(action)).status === 200, 'it is put back');
    expect((await sandbox.run('echo "$PWD $WHERE"')).stdout).toBe('/workspace/place there\n');
  });

  it('a snapshot contains unreadable files', async () => {
    const action = randomUUID();
    await sandbox.run('cd /workspace; mkdir closed; echo secret > closed/file; chmod 000 closed/file closed');
    expect(await take(action)).toMatchObject({ status: 200 });
    await sandbox.run('chmod 700 closed; rm -rf closed', { carryOver: false });
    expect(await restore(action)).toMatchObject({ status: 200 });
    const { stdout } = await sandbox.run(
      'cd /workspace; stat -c %a closed; chmod 700 closed; stat -c "%a %U" closed/file; chmod 600 closed/file; cat closed/file; rm -r closed',
      { carryOver: false },
    );
    expect(stdout).toBe('0\n0 aish\nsecret\n');
  });

  it('snapshots are deleted together with their workspace, and unfinished ones at the next start', async () => {
    const Labels = {
      'dev.aish.instance': ground.instance,
      'dev.aish.snapshot': randomUUID(),
      'dev.aish.snapshot-of': sandbox.workspaceId,
    };
    const { length } = await volumes();
    expect(length).toBeGreaterThan(0);
    await docker.createVolume({ Name: `aish-snap-${ground.instance}-half`, Labels });
    expect((await volumes()).length).toBe(length + 1);
    await until(
      async () => (await sandbox.ask('DELETE', `/v1/workspaces/${sandbox.workspaceId}`)).status === 204,
      'gone',
    );
    expect(await volumes()).toEqual([`aish-snap-${ground.instance}-half`]);
    await service.app.close();
    await start();
    await until(async () => (await volumes()).length === 0, 'all are swept');
  });
});
