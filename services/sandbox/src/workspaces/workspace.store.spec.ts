import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NEW_SESSION } from './session.js';
import { WorkspaceStore } from './workspace.store.js';

let folder: string;
const open = () => {
  const store = new WorkspaceStore(join(folder, 'workspaces'));
  store.open();
  return store;
};
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-workspaces-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('WorkspaceStore', () => {
  it('knows session and size again after a restart, until the workspace is forgotten', () => {
    const [a, b] = [randomUUID(), randomUUID()];
    const session = { folder: '/workspace/sub', variables: ['X=é\n'] };
    const first = open();
    first.saveSession(a, session);
    first.saveSize(a, 3);
    first.saveSize(b, 4);
    const second = open();
    expect([second.session(a), second.sizeKib(a), second.session(b)]).toEqual([session, 3, NEW_SESSION]);
    expect(second.totals()).toEqual({ count: 2, sizeBytes: 7 * 1024 });
    second.forget(a);
    expect([second.session(a), second.sizeKib(a), open().ids()]).toEqual([NEW_SESSION, null, [b]]);
  });

  it('begins anew where a file was cut by a crash', async () => {
    const id = randomUUID();
    open().saveSession(id, { folder: '/x', variables: [] });
    await writeFile(join(folder, 'workspaces', `${id}.json`), '{"session":{"fol');
    expect(open().session(id)).toEqual(NEW_SESSION);
  });
});
