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
  it('WorkspaceStore remembers session and size across restarts, until the workspace is forgotten', () => {
    const [a, b] = [randomUUID(), randomUUID()];
    const session = { folder: '/workspace/sub', variables: ['X=é\n'] };
    const first = open();
    first.saveSession(a, session);
    first.saveContents(a, { sizeKib: 3, files: 7 });
    first.saveContents(b, { sizeKib: 4, files: 8 });
    const second = open();
    expect([second.session(a), second.session(b)]).toEqual([session, NEW_SESSION]);
    expect(second.contents(a)).toEqual({ sizeKib: 3, files: 7 });
    expect(second.totals()).toEqual({ count: 2, sizeBytes: 7 * 1024 });
    second.forget(a);
    expect([second.session(a), open().ids()]).toEqual([NEW_SESSION, [b]]);
    expect(second.contents(a)).toEqual({ sizeKib: 0, files: 0 });
  });

  it('WorkspaceStore reads files of the previous version, which counted no files', async () => {
    const id = randomUUID();
    open();
    await writeFile(join(folder, 'workspaces', `${id}.json`), '{"session":null,"sizeKib":5}');
    expect(open().contents(id)).toEqual({ sizeKib: 5, files: 0 });
  });

  it('WorkspaceStore starts with a new session after a crash cut a file short', async () => {
    const id = randomUUID();
    open().saveSession(id, { folder: '/x', variables: [] });
    await writeFile(join(folder, 'workspaces', `${id}.json`), '{"session":{"fol');
    expect(open().session(id)).toEqual(NEW_SESSION);
  });
});
