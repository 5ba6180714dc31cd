import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GOOD_NODE } from '../testing/fatal-fixtures.js';
import { ScratchBase } from '../testing/scratch-base.js';
import { KnowledgeBase } from './knowledge-base.js';
import { probeRemotePrivacy } from './remote-privacy.js';
import { StateFile, Verified } from './state-file.js';

const ME = { name: 'craig', scope: null };

describe('doctor', () => {
  let scratch: ScratchBase | null = null;
  afterEach(() => {
    scratch?.remove();
    scratch = null;
  });
  const stateOf = async (base: KnowledgeBase): Promise<Record<string, string>> =>
    Object.fromEntries((await base.doctor()).checks.map(({ name, state }) => [name, state]));

  it('doctor finds no fault in a new base except the missing remote', async () => {
    scratch = await ScratchBase.make();
    await scratch.base.remember({ title: 'First' }, ME);
    const { ok, checks } = await scratch.base.doctor();
    expect(ok).toBe(true);
    expect(checks.filter(({ state }) => state !== 'ok').map(({ name }) => name)).toEqual(['remote']);
  });

  it('doctor reports a missing base, a different branch, and uncommitted files', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'aish-none-'));
    try {
      const base = new KnowledgeBase({ dir: empty, env: process.env });
      expect(await stateOf(base)).toMatchObject({ repository: 'failed' });
    } finally {
      rmSync(empty, { recursive: true });
    }
    scratch = await ScratchBase.make();
    scratch.write({ 'nodes/stray.org': 'mine' });
    scratch.git('switch', '--quiet', '--create', 'other');
    expect(await stateOf(scratch.base)).toMatchObject({ branch: 'failed', tree: 'failed' });
  });

  it('doctor reports fatal faults of nodes, and a changed index', async () => {
    scratch = await ScratchBase.make();
    await scratch.base.remember({ title: 'First' }, ME);
    scratch.commitByHand({ [GOOD_NODE.path]: GOOD_NODE.text.replace('#+title:', '#+nothing:') });
    expect(await stateOf(scratch.base)).toMatchObject({ lint: 'failed', secrets: 'ok' });
    scratch.git('reset', '--quiet', '--hard', 'HEAD~1');
    scratch.commitByHand({ 'index.org': '#+title: mine\n' });
    expect(await stateOf(scratch.base)).toMatchObject({ index: 'failed', lint: 'ok' });
  });

  it('doctor reports missing programs', async () => {
    scratch = await ScratchBase.make();
    const bare = new KnowledgeBase({ dir: scratch.dir, env: { PATH: '/nonexistent' } });
    expect(await bare.doctor()).toMatchObject({ ok: false, checks: [{ name: 'tools', state: 'failed' }] });
  });
});

describe('whether strangers can read the remote', () => {
  let server: Server;
  let status = 200;
  let asked: string | undefined;
  beforeAll(async () => {
    server = createServer((request, response) => {
      asked = `${request.url} ${request.headers.authorization ?? 'no password'}`;
      response.writeHead(status).end();
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => void server.close());
  const url = (userInfo = '') => `http://${userInfo}127.0.0.1:${(server.address() as AddressInfo).port}/kb.git/`;

  it('the privacy check requests the remote without the password in the address', async () => {
    status = 200;
    expect(await probeRemotePrivacy(url('bob:hunter2@'))).toMatchObject({ state: 'failed' });
    expect(asked).toBe('/kb.git/info/refs?service=git-upload-pack no password');
    status = 401;
    expect(await probeRemotePrivacy(url())).toMatchObject({ state: 'ok', detail: 'without a password it answers 401' });
  });

  it.each([
    ['git://host/kb.git', 'failed'],
    ['git@nas:kb.git', 'ok'],
    ['/srv/kb.git', 'ok'],
    ['http://127.0.0.1:1/kb.git', 'warning'],
  ])('the privacy check of %s returns %s', async (address, state) =>
    expect(await probeRemotePrivacy(address)).toMatchObject({ state }),
  );
});

describe('a state file', () => {
  it('a state file with broken content counts as absent, but a failure to read it is an error', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'aish-state-'));
    try {
      const file = new StateFile(dir, 'verified.json', Verified);
      expect(await file.read()).toBeNull();
      await file.write({ commit: 'abc' });
      expect(await file.read()).toEqual({ commit: 'abc' });
      for (const text of ['{"commit":', '{"commit":1}', '', 'null']) {
        writeFileSync(join(dir, 'verified.json'), text);
        expect(await file.read()).toBeNull();
      }
      await file.clear();
      await file.clear();
      await expect(new StateFile(dir, '.', Verified).read()).rejects.toMatchObject({ code: 'EISDIR' });
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
