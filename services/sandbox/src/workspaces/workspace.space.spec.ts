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

describe('the free space of a workspace', () => {
  it('the free space of a workspace is its limit minus its contents, and never negative', () => {
    const { space } = newSpace();
    expect(space.room('w')).toEqual({ bytes: 2 * 2 ** 20, files: 10 });
    space.measured('w', { sizeKib: 1_024, files: 4 });
    expect([space.room('w'), space.mayWrite('w')]).toEqual([{ bytes: 2 ** 20, files: 6 }, true]);
    space.measured('w', { sizeKib: 5_000, files: 11 });
    expect([space.room('w'), space.mayWrite('w')]).toEqual([{ bytes: 0, files: 0 }, false]);
  });

  it('the message for a full workspace gives its size, or its number of files if only that is too large', () => {
    const { space } = newSpace();
    space.measured('w', { sizeKib: 2_049, files: 11 });
    expect(space.whyFull('w')).toMatch(/^the workspace holds 3 MiB, 2 MiB at most\. This command cannot write files/);
    space.measured('w', { sizeKib: 2_048, files: 11 });
    expect(space.tooMuch('w')).toBe('11 files, 10 at most');
    space.measured('w', { sizeKib: 2_048, files: 10 });
    expect(space.whyFull('w')).toBeNull();
  });

  it('a workspace is closed to writes after a failed measurement, until a measurement succeeds', () => {
    const { space } = newSpace();
    space.measured('w', { sizeKib: 3_000, files: 1 });
    space.measured('w', null);
    expect([space.isClosed('w'), space.isClosed('other'), space.mayWrite('w')]).toEqual([true, false, false]);
    space.measured('w', { sizeKib: 1, files: 1 });
    expect([space.isClosed('w'), space.mayWrite('w')]).toEqual([false, true]);
  });
});

describe('the disk of the host', () => {
  it('no command can write while the host is short of disk space, and each check calls the callback', async () => {
    const { disk, space } = newSpace(2 ** 40);
    let calls = 0;
    expect(space.mayWrite('w')).toBe(true);
    await disk.start(() => (calls += 1));
    disk.beforeApplicationShutdown();
    expect([calls, space.whyFull('w')]).toEqual([1, expect.stringMatching(/^the host has \d+ MiB of disk left/)]);
  });

  it('free disk space is measured in a folder that exists, and is unknown if none exists', async () => {
    const { disk } = newSpace(0, [folder, join(folder, 'not-there')]);
    const free = await disk.free();
    expect([Number(free?.bytes) > 0, Number(free?.files) > 0]).toEqual([true, true]);
    expect(await newSpace(0, [join(folder, 'not-there')]).disk.free()).toBeNull();
  });
});
