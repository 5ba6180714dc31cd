import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { Effects } from '@aish/contracts/effects';
import type { RunRequest } from '@aish/contracts/runs';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { cleanUp, docker, newTestSettings, until, warmOf, type TestSettings } from '../../testing/sandbox.fixture.js';
import { volumeName } from '../engine/container-spec.js';

jest.setTimeout(300_000);
/** A command that writes 100,000 files needs this long, because a busy disk is slow. */
const MUCH = { timeoutMs: 120_000 };

describe('layers', () => {
  let ground: TestSettings;
  let service: Service;

  beforeAll(async () => {
    ground = await newTestSettings({ UNDO_COMMANDS: '5' });
    service = await startService(ground);
  });

  afterAll(async () => {
    await stopService(service, 'SIGTERM');
    await cleanUp(ground);
  });

  /** Runs a command once its container is ready, as happens between the answers of a model. */
  async function run(command: string, more: Partial<RunRequest> = {}): Promise<Effects | undefined> {
    const { outcome } = await service.sandbox.run(command, more);
    await until(async () => (await warmOf(service.sandbox.workspaceId)).length > 0, 'a container is ready');
    return outcome.effects;
  }

  it('effects list the files that each command created, changed and deleted, without older files and changes by others', async () => {
    expect(await run('mkdir d; echo 12345 > d/old; echo keep > keep')).toMatchObject({
      created: { files: 2, bytes: 11, paths: ['d/old', 'keep'] },
      deleted: { files: 0 },
      complete: true,
    });
    expect(await run('cat keep')).toMatchObject({
      created: { files: 0 },
      changed: { files: 0 },
      deleted: { files: 0 },
    });
    const put = await fetch(`${service.sandbox.url}/v1/workspaces/${service.sandbox.workspaceId}/file?path=put`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ground.config.SANDBOX_TOKEN}`, 'content-type': 'application/octet-stream' },
      body: 'put',
    });
    expect(put.status).toBeLessThan(300);
    expect(await run('rm -r d; echo more >> keep; ln -s keep link')).toMatchObject({
      created: { files: 1, paths: ['link'] },
      changed: { files: 1, bytes: 10, paths: ['keep'] },
      deleted: { files: 1, bytes: 6, paths: ['d/old'] },
    });
    expect(await run('rm put link')).toMatchObject({ deleted: { files: 2, paths: ['link', 'put'] } });
  });

  it('the effects of a killed command are reported', async () => {
    const { outcome } = await service.sandbox.run('echo 1 > killed; sleep 60', { timeoutMs: 1_500 });
    expect(outcome).toMatchObject({ timedOut: true, effects: { created: { files: 1, paths: ['killed'] } } });
  });

  it('all files survive if a workspace runs more commands than a mount can have layers', async () => {
    const [first, origin] = [randomUUID(), randomUUID()];
    // As for goals and chats, each command has its own layer, even if it directly follows the last one.
    const hold = { origin, mode: 'note' } as const;
    await run('echo > first', { runId: first, hold });
    const listed = () => service.sandbox.ask('GET', `/v1/workspaces/${service.sandbox.workspaceId}/changes/${first}`);
    expect(await listed()).toMatchObject({ status: 200, body: { items: [{ kind: 'created', path: 'first' }] } });
    for (let n = 0; n < 10; n += 1) await run(`echo ${n} > n${n}; rm -f n${n - 2}`, { hold });
    expect(await listed()).toMatchObject({ status: 410, body: { code: 'changes_not_kept' } });
    const { stdout } = await service.sandbox.run('cat n8 n9 keep; ls n* | wc -l');
    expect(stdout).toBe('8\n9\nkeep\nmore\n2\n');
  });

  it('effects count all files when 100,000 are deleted', async () => {
    const made = await run(
      'for d in {1..100}; do mkdir -p big/$d && (cd big/$d && seq 1000 | xargs touch); done',
      MUCH,
    );
    expect(made).toMatchObject({ created: { files: 100_000 }, complete: true });
    expect(await run('rm -rf big', MUCH)).toMatchObject({ deleted: { files: 100_000, bytes: 0 }, complete: true });
  });

  it('files survive a crash while the volume is replaced', async () => {
    await run('echo safe > safe');
    await stopService(service, 'SIGKILL');
    const { workspaceId } = service.sandbox;
    const filters = { label: [`dev.aish.instance=${ground.instance}`] };
    // The engine may already be removing some of the containers. It then refuses, and they are gone a moment later.
    await until(async () => {
      const left = await docker.listContainers({ all: true, filters });
      await Promise.allSettled(left.map(({ Id }) => docker.getContainer(Id).remove({ force: true })));
      return left.length === 0;
    }, 'the containers are gone');
    await docker.getVolume(volumeName(ground.instance, workspaceId)).remove();
    service = await startService(ground);
    const again = await service.sandbox.run('cat safe', { workspaceId });
    expect(again.stdout).toBe('safe\n');
    expect((await service.sandbox.ask('DELETE', `/v1/workspaces/${workspaceId}`)).status).toBeLessThan(300);
    expect((await service.sandbox.run('ls', { workspaceId })).stdout).toBe('');
  });
});
