import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Hold } from '@aish/contracts/runs';
import { SandboxStatus } from '@aish/contracts/runs';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { cleanUp, docker, newTestSettings, until, wake, type TestSettings } from '../../testing/sandbox.fixture.js';

jest.setTimeout(150_000);

/** `CARRY_ROUNDS=300` is the long version. */
const ROUNDS = process.env['CARRY_ROUNDS'] ?? '10';

describe('held host folders', () => {
  let ground: TestSettings;
  let service: Service;
  let folder: string;
  let workspaceId: string;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-held-'));
    await chmod(folder, 0o777);
    const folders = [{ name: 'media', hostPath: folder, containerPath: '/mnt/media', mode: 'held' }];
    ground = await newTestSettings({ SANDBOX_LAYERS: 'on', SANDBOX_HOST_FOLDERS: JSON.stringify(folders) });
    service = await startService(ground);
  });

  afterAll(async () => {
    await stopService(service, 'SIGTERM');
    await cleanUp(ground);
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    workspaceId = randomUUID();
    origin = randomUUID();
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true });
    await writeFile(join(folder, 'film'), 'a film\n');
    await writeFile(join(folder, 'song'), 'a song\n');
    await Promise.all(['film', 'song'].map((name) => chmod(join(folder, name), 0o666)));
  });

  async function run(command: string, mode: Hold['mode'] = 'may', runId = randomUUID()): Promise<RunOutcome> {
    const request = { runId, workspaceId, hold: { origin, mode }, hostFolders: ['media'] };
    return (await service.sandbox.run(`cd /mnt/media; ${command}`, request)).outcome;
  }

  const settle = (runId: string, verdict: 'keep' | 'drop') =>
    service.sandbox.ask('PUT', `/v1/workspaces/${workspaceId}/held/${runId}`, { verdict });
  const undo = (runId: string, query = '') =>
    service.sandbox.ask('POST', `/v1/workspaces/${workspaceId}/snapshots/${runId}/restore${query}`);
  const read = (name: string) => readFile(join(folder, name), 'utf8');

  it('of the changes of an approved command, only those that it names are written to a held folder immediately', async () => {
    const approved = (command: string, named: readonly string[], runId = randomUUID()) =>
      service.sandbox.run(`cd /mnt/media; ${command}`, {
        runId,
        workspaceId,
        hold: { origin, mode: 'note', named: [...named] },
        hostFolders: ['media'],
      });
    expect((await approved('rm film', ['/mnt/media/film'])).outcome.held).toBeUndefined();
    expect(await readdir(folder)).toEqual(['song']);
    const runId = randomUUID();
    const { held } = (await approved('echo 1 > new; rm song', ['/mnt/media/new'], runId)).outcome;
    expect(held?.items).toEqual([{ path: '/mnt/media/song', how: 'deleted', why: 'deleted' }]);
    await settle(runId, 'drop');
    expect(await readdir(folder)).toEqual(['song']);
  });

  it('a change that a person refused before is held again, even if the goal created the file', async () => {
    await run('echo mine > mine');
    const refusals = [{ step: 2, words: 'leave it', paths: ['/mnt/media/mine'], lifted: [] }];
    const { held } = (
      await service.sandbox.run('rm /mnt/media/mine', {
        workspaceId,
        hold: { origin, mode: 'may', refusals },
        hostFolders: ['media'],
      })
    ).outcome;
    expect(held?.refused).toEqual([{ step: 2, words: 'leave it', paths: ['/mnt/media/mine'] }]);
    expect(await read('mine')).toBe('mine\n');
  });

  it('a command may add and change its own files in a held folder, but changes to others are held', async () => {
    const made = await run('cat film; mkdir new; echo 1 > new/one; chmod 640 new/one');
    expect(made).toMatchObject({
      output: 'a film\n',
      effects: { created: { files: 1, paths: ['/mnt/media/new/one'] } },
    });
    expect(made.held).toBeUndefined();
    expect(await read('new/one')).toBe('1\n');
    const { uid, mode } = await stat(join(folder, 'new/one'));
    expect([uid, mode & 0o7777]).toEqual([1000, 0o640]);
    expect((await run('echo 2 >> new/one')).held).toBeUndefined();
    expect(await read('new/one')).toBe('1\n2\n');

    const runId = randomUUID();
    const { held, effects } = await run(
      'rm film; echo loud >> song; echo 3 > three; echo 4 > /workspace/four',
      'may',
      runId,
    );
    expect(effects).toMatchObject({
      created: { paths: ['/mnt/media/three', 'four'] },
      changed: { files: 1, paths: ['/mnt/media/song'] },
      deleted: { files: 1, bytes: 7, paths: ['/mnt/media/film'] },
    });
    expect(held).toMatchObject({
      verdict: 'waiting',
      deleted: { files: 1 },
      // Appended text counts at once, as in a workspace.
      overwritten: { files: 0 },
      folders: { names: ['media'], conflicts: [], undoable: true, diff: expect.stringContaining('\n a song\n+loud') },
    });
    expect((await readdir(folder)).toSorted()).toEqual(['film', 'new', 'song']);
    expect((await settle(runId, 'keep')).status).toBe(204);
    expect((await settle(runId, 'keep')).status).toBe(204);
    expect((await readdir(folder)).toSorted()).toEqual(['new', 'song', 'three']);
    expect(await read('song')).toBe('a song\nloud\n');

    // The undo starts with the newest run, and undoes everything done since the given run.
    const path = `/v1/workspaces/${workspaceId}/snapshots/${runId}`;
    expect((await service.sandbox.ask('GET', path)).body).toMatchObject({
      effects: { created: { paths: ['/mnt/media/film'] }, changed: { files: 1 }, deleted: { files: 2 } },
      touched: [],
    });
    expect((await undo(runId)).status).toBe(200);
    expect((await readdir(folder)).toSorted()).toEqual(['film', 'new', 'song']);
    expect(await read('song')).toBe('a song\n');
    expect((await run('ls /workspace')).output).toBe('');
  });

  it('small edits are written to a held folder immediately, but a hook and edits that remove the original text are held', async () => {
    const text = Array.from({ length: 8 }, (_, n) => `line ${n}\n`).join('');
    await writeFile(join(folder, 'song'), text);
    await chmod(join(folder, 'song'), 0o666);
    // The file is overwritten in place, so that its owner stays the same.
    const edit = (lines: string) => `sed '${lines}s/.*/other/' song > /tmp/song; cat /tmp/song > song`;
    expect((await run(edit('1,3'))).held).toBeUndefined();
    expect(await read('song')).toMatch(/^other\nother\nother\nline 3\n/);
    const runId = randomUUID();
    const { held } = await run(
      `${edit('4,6')}; mkdir -p a/.git/hooks; echo x > a/.git/hooks/post-checkout`,
      'may',
      runId,
    );
    expect(held?.items).toEqual([
      { path: '/mnt/media/song', how: 'replaced', why: 'replaced' },
      { path: '/mnt/media/a/.git/hooks/post-checkout', how: 'created', why: 'start' },
    ]);
    expect((await settle(runId, 'drop')).status).toBe(204);
  });

  it('after a person drops the changes of a command, the held folder and the workspace are as before', async () => {
    const runId = randomUUID();
    expect((await run('rm film; touch /workspace/new', 'may', runId)).held).toBeDefined();
    expect((await settle(runId, 'drop')).status).toBe(204);
    expect((await run('ls . /workspace')).output).toBe('.:\nfilm\nsong\n\n/workspace:\n');
  });

  it('nothing is written to a held folder if someone has changed the same files, and the error names them', async () => {
    const runId = randomUUID();
    await run('rm film; echo x > song', 'may', runId);
    await writeFile(join(folder, 'film'), 'another film\n');
    expect(await settle(runId, 'keep')).toMatchObject({
      status: 409,
      body: { code: 'host_folder_changed', conflicts: ['/mnt/media/film'] },
    });
    expect([await read('film'), await read('song')]).toEqual(['another film\n', 'a song\n']);
    expect((await settle(runId, 'drop')).status).toBe(204);

    // The changes of an approved command still wait while it runs.
    const late = randomUUID();
    const running = run('echo x > song; sleep 60', 'note', late);
    await until(async () => (await docker.listContainers({ filters: { name: [late] } })).length > 0, 'it runs');
    await new Promise((resolve) => setTimeout(resolve, 800));
    await writeFile(join(folder, 'song'), 'of somebody\n');
    await wake(late);
    expect((await running).held?.folders?.conflicts).toEqual(['/mnt/media/song']);
    expect((await settle(late, 'drop')).status).toBe(204);
    expect(await read('song')).toBe('of somebody\n');
  });

  it('the changes of an approved command can be undone unless someone has changed the same paths since', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    expect((await run('rm film; touch /workspace/a', 'note', first)).held).toBeUndefined();
    await run('echo 2 > song; touch /workspace/b', 'note', second);
    await writeFile(join(folder, 'film'), 'a new film\n');
    expect(await undo(first)).toMatchObject({
      status: 409,
      body: { code: 'undo_overlaps', paths: ['/mnt/media/film'] },
    });
    expect(await read('song')).toBe('2\n');
    expect((await undo(second, '?only=true')).status).toBe(200);
    expect([await read('song'), await read('film')]).toEqual(['a song\n', 'a new film\n']);
  });

  it('links cannot lead writes out of a held folder, and pipes and setuid files are not written to it', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'aish-outside-'));
    await chmod(outside, 0o777);
    await writeFile(join(outside, 'file'), 'outside\n');
    try {
      await mkdir(join(folder, 'real'), { mode: 0o777 });
      await chmod(join(folder, 'real'), 0o777);
      await writeFile(join(folder, 'real/file'), 'inside\n');
      await chmod(join(folder, 'real/file'), 0o666);
      const runId = randomUUID();
      const made = await run('echo x > real/file; mkfifo pipe; cp /bin/true su; chmod 4755 su', 'may', runId);
      expect(made.held?.folders?.skipped).toEqual(['/mnt/media/pipe', '/mnt/media/su (setuid bit)']);
      await rm(join(folder, 'real'), { recursive: true });
      await symlink(outside, join(folder, 'real'));
      expect((await settle(runId, 'keep')).status).toBe(409);
      await settle(runId, 'drop');
      await run(`ln -s ${outside} way; ln -s ${outside}/file link`, 'may');
      await run('echo x > link; echo x > way/file', 'note');
      expect(await readFile(join(outside, 'file'), 'utf8')).toBe('outside\n');
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  });

  it('a repeated verdict completes a change to a held folder that a kill interrupted', async () => {
    for (const after of [30, 400, 700, 1_000]) {
      await writeFile(join(folder, 'film'), 'a film\n');
      const runId = randomUUID();
      await run('rm film; echo x > song', 'may', runId);
      const settling = settle(runId, 'keep').catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, after));
      await stopService(service, 'SIGKILL');
      await settling;
      service = await startService(ground);
      await until(async () => (await settle(runId, 'keep')).status === 204, 'it is kept');
      expect(await readdir(folder)).toEqual(['song']);
      expect(await read('song')).toBe('x\n');
    }
  });

  it('a run with a held folder is refused if layers are off, and the error gives the reason', async () => {
    const { hostFolders } = SandboxStatus.parse((await service.sandbox.ask('GET', '/v1/status')).body);
    expect(hostFolders[0]).toMatchObject({ name: 'media', mode: 'held', whyNotHeld: null });
    const off = await newTestSettings({
      SANDBOX_LAYERS: 'off',
      SANDBOX_HOST_FOLDERS: ground.env['SANDBOX_HOST_FOLDERS'] ?? '',
    });
    const other = await startService(off);
    try {
      const answer = await other.sandbox.ask(
        'POST',
        '/v1/runs',
        other.sandbox.request('ls', { hostFolders: ['media'] }),
      );
      expect(answer).toMatchObject({
        status: 400,
        body: { code: 'mount_not_allowed', detail: expect.stringContaining('SANDBOX_LAYERS=off') },
      });
    } finally {
      await stopService(other, 'SIGTERM');
      await cleanUp(off);
    }
  });
});

describe('writes to a host folder', () => {
  it('a write to a host folder is complete or absent after a kill at any step, and can be undone', async () => {
    const volume = `aish-spec-carry-${randomUUID()}`;
    const folder = fileURLToPath(new URL('../../', import.meta.url));
    const { config, ...ground } = await newTestSettings();
    try {
      const inContainer = `run --rm --user 0 --privileged --network none --tmpfs /tmp -v ${volume}:/layers -e PYTHONPATH=/sandbox/scripts -v ${folder}:/sandbox:ro`;
      const oracle = ['python3', '/sandbox/testing/carry_oracle.py', '/layers', ROUNDS, '100'];
      const { stdout } = await promisify(execFile)('docker', [
        ...inContainer.split(' '),
        config.SANDBOX_IMAGE,
        ...oracle,
      ]);
      expect(stdout).toMatch(/^compared [1-9]\d* conflicts [1-9]\d* kills \d{2,}\n$/);
    } finally {
      await docker.getVolume(volume).remove({ force: true });
      await cleanUp({ config, ...ground });
    }
  });
});
