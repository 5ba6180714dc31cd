import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SnapshotStore } from './snapshot.store.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-snapshots-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const snapshot = () => ({ actionId: randomUUID(), sizeBytes: 1, createdAt: new Date(0).toISOString() });

describe('SnapshotStore', () => {
  it('SnapshotStore lists snapshots newest first, even after a restart, and only workspaces with snapshots', () => {
    const [workspaceId, other] = [randomUUID(), randomUUID()];
    const store = new SnapshotStore(folder);
    const [first, second] = [snapshot(), { ...snapshot(), session: { folder: '/workspace/a', variables: ['X=1'] } }];
    store.add(workspaceId, first);
    store.add(workspaceId, second);
    store.add(other, first);
    const again = new SnapshotStore(folder);
    expect(again.list(workspaceId)).toEqual([second, first]);
    expect(again.find(workspaceId, first.actionId)).toEqual(first);
    expect(again.workspaces().toSorted()).toEqual([workspaceId, other].toSorted());
    again.remove(other, first.actionId);
    again.remove(workspaceId, randomUUID());
    expect([again.workspaces(), again.find(other, first.actionId)]).toEqual([[workspaceId], null]);
  });

  it('SnapshotStore ignores a file that a crash cut short', async () => {
    const workspaceId = randomUUID();
    const store = new SnapshotStore(folder);
    store.add(workspaceId, snapshot());
    await writeFile(join(folder, `${workspaceId}.json`), '[{"actionId"');
    expect(store.list(workspaceId)).toEqual([]);
  });
});
