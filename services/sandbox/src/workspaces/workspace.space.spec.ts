import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@aish/http';
import { HostDisk } from './host.disk.js';
import { WorkspaceSpace } from './workspace.space.js';
import { WorkspaceStore } from './workspace.store.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-space-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const logger = createLogger('fatal', 'spec');
function newSpace(keepFreeMb = 0, folders: readonly string[] = [folder]) {
  const store = new WorkspaceStore(join(folder, 'workspaces'));
  store.open();
  const disk = new HostDisk({ DISK_FREE_MIN_MB: keepFreeMb }, logger, () => folders);
  const limits = { RUN_WORKSPACE_MAX_MB: 2, RUN_WORKSPACE_MAX_FILES: 10 };
  return { disk, space: new WorkspaceSpace(store, disk, limits, logger) };
}

describe('the space of a workspace', () => {
  it('the space of a workspace is the part that the limits leave, and never negative', () => {
    const { space } = newSpace();
    expect(space.room('w')).toEqual({ bytes: 2 * 2 ** 20, files: 10 });
    space.measured('w', { sizeKib: 1_024, files: 4 });
    expect([space.room('w'), space.mayWrite('w')]).toEqual([{ bytes: 2 ** 20, files: 6 }, true]);
    space.measured('w', { sizeKib: 5_000, files: 11 });
    expect([space.room('w'), space.mayWrite('w')]).toEqual([{ bytes: 0, files: 0 }, false]);
  });

  it('a full workspace is reported with its contents and limits, and its size comes before its files', () => {
    const { space } = newSpace();
    space.measured('w', { sizeKib: 2_049, files: 11 });
    expect(space.whyFull('w')).toMatch(/^the workspace holds 3 MiB, 2 MiB at most\. This command cannot write files/);
    space.measured('w', { sizeKib: 2_048, files: 11 });
    expect(space.tooMuch('w')).toBe('11 files, 10 at most');
    space.measured('w', { sizeKib: 2_048, files: 10 });
    expect(space.whyFull('w')).toBeNull();
  });

  it('the space of a workspace is unknown after a failed measurement, and known after a successful one', () => {
    const { space } = newSpace();
    space.measured('w', { sizeKib: 3_000, files: 1 });
    space.measured('w', null);
    expect([space.isClosed('w'), space.isClosed('other'), space.mayWrite('w')]).toEqual([true, false, false]);
    space.measured('w', { sizeKib: 1, files: 1 });
    expect([space.isClosed('w'), space.mayWrite('w')]).toEqual([false, true]);
  });
});

describe('the disk of the host', () => {
  it('no command can write while the host is short of space, and each check calls back', async () => {
    const { disk, space } = newSpace(2 ** 40);
    let calls = 0;
    expect(space.mayWrite('w')).toBe(true);
    await disk.start(() => (calls += 1));
    disk.beforeApplicationShutdown();
    expect([calls, space.whyFull('w')]).toEqual([1, expect.stringMatching(/^the host has \d+ MiB of disk left/)]);
  });

  it('free space is checked where the engine has its volumes, or else where this service has its data', async () => {
    const { disk } = newSpace(0, [folder, join(folder, 'not-there')]);
    const free = await disk.free();
    expect([Number(free?.bytes) > 0, Number(free?.files) > 0]).toEqual([true, true]);
    expect(await newSpace(0, [join(folder, 'not-there')]).disk.free()).toBeNull();
  });
});
