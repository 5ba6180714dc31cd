import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { ScratchBase } from '../testing/scratch-base.js';
import { orgRoamDatabase } from './adapter.js';
import { emacsChecks, syncOrgRoam } from './org-roam.js';
import { adapterFile, adapterLink, provision } from './provision.js';

const ME = { name: 'me', scope: null };
let scratch: ScratchBase;
let configHome: string;
beforeEach(async () => {
  scratch = await ScratchBase.make();
  configHome = mkdtempSync(join(tmpdir(), 'aish-org-roam-'));
});
afterEach(() => {
  scratch.remove();
  rmSync(configHome, { recursive: true, force: true });
});

const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
const states = async () =>
  (await emacsChecks(scratch.dir, { env, configHome })).map(({ name, state }) => `${name} ${state}`);

it('doctor checks that the adapter points here unchanged, and that org-roam can build its database', async () => {
  await scratch.base.remember({ title: 'One' }, ME);
  expect(await states()).toEqual(['adapter warning', 'org-roam ok']);
  const options = { configHome, aish: ['/usr/bin/node'], emacs: true };
  await provision(scratch.dir, options);
  const [adapter, database] = await emacsChecks(scratch.dir, { env, configHome });
  expect([adapter?.state, database?.state, database?.detail]).toEqual([
    'ok',
    'ok',
    'its database holds 1 nodes, 0 links',
  ]);
  // This adapter belongs to another clone.
  rmSync(adapterLink(configHome));
  symlinkSync(adapterFile('/elsewhere'), adapterLink(configHome));
  expect(await states()).toEqual(['adapter warning', 'org-roam ok']);
  // This file is not a database.
  rmSync(orgRoamDatabase(scratch.dir));
  mkdirSync(orgRoamDatabase(scratch.dir));
  writeFileSync(join(orgRoamDatabase(scratch.dir), 'x'), '');
  expect((await states()).at(-1)).toBe('org-roam warning');
  await expect(syncOrgRoam(scratch.dir, env)).rejects.toMatchObject({ code: 'knowledge_index' });
}, 120_000);

it('doctor reports nothing as missing if there is no Emacs', async () => {
  expect(await emacsChecks(scratch.dir, { env: { PATH: '/nonexistent' }, configHome })).toEqual([
    { name: 'org-roam', state: 'ok', detail: 'no Emacs here', advice: null },
  ]);
});
