import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { RunOutcome } from '@aish/contracts/actions';
import type { Hold } from '@aish/contracts/runs';
import { startService, stopService, type Service } from '../../testing/service.fixture.js';
import { cleanUp, newTestSettings, type TestSettings } from '../../testing/sandbox.fixture.js';

jest.setTimeout(150_000);

/** These are incidents in which agents damaged files of others: docs/incidents.md. */
describe('reported incidents', () => {
  let ground: TestSettings;
  let service: Service;
  let folder: string;
  let workspaceId: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'aish-incidents-'));
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
    await run('mkdir sub; echo a > a.txt; echo b > b.txt; echo c > sub/c.txt', { mode: 'note' });
  });

  async function run(
    command: string,
    hold: Omit<Hold, 'origin'>,
    more: { readonly runId?: string; readonly hostFolders?: readonly string[] } = {},
  ): Promise<RunOutcome> {
    const { runId = randomUUID(), hostFolders = [] } = more;
    const request = { runId, workspaceId, hold: { origin: randomUUID(), ...hold }, hostFolders: [...hostFolders] };
    return (await service.sandbox.run(command, request)).outcome;
  }

  const drop = (runId: string) =>
    service.sandbox.ask('PUT', `/v1/workspaces/${workspaceId}/held/${runId}`, { verdict: 'drop' });
  const files = async () => (await run('cat a.txt b.txt sub/c.txt', { mode: 'may' })).output;

  it('an approved deletion with an empty variable is held, because it deletes paths that were not shown', async () => {
    const runId = randomUUID();
    const command = `find . -name sub -exec sh -c 'rm -rf "$1"/*' ';' 2> /dev/null`;
    const { held } = await run(command, { mode: 'note', named: ['sub'] }, { runId });
    expect(held?.items?.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', 'b.txt']));
    await drop(runId);
    expect(await files()).toBe('a\nb\nc\n');
  });

  it('files that overwrote each other because their target folder was missing can be restored', async () => {
    const runId = randomUUID();
    const command = 'mkdir no/where 2> /dev/null; for f in *.txt; do mv "$f" gone; done';
    const { held } = await run(command, { mode: 'may' }, { runId });
    expect(held?.items?.map(({ path }) => path)).toEqual(expect.arrayContaining(['a.txt', 'b.txt']));
    await drop(runId);
    expect(await files()).toBe('a\nb\nc\n');
  });

  // Only root can create a mount for this check.
  if (process.getuid?.() === 0)
    it('deleting a folder does not delete the files of a file system that is mounted inside it', async () => {
      const share = join(folder, 'old/share');
      await mkdir(share, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'mode=1777', 'tmpfs', share]);
      try {
        await writeFile(join(share, 'photo'), 'a photo\n');
        const hold: Omit<Hold, 'origin'> = { mode: 'note', named: ['/mnt/media/old'] };
        await run('rm -rf /mnt/media/old 2> /dev/null', hold, { hostFolders: ['media'] });
        expect(await readFile(join(share, 'photo'), 'utf8')).toBe('a photo\n');
      } finally {
        execFileSync('umount', [share]);
      }
    });
});
