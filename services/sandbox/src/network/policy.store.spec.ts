import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { NetworkPolicy } from '@aish/contracts/network';
import { PolicyStore } from './policy.store.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aish-policies-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('PolicyStore', () => {
  it('PolicyStore remembers policies across restarts, and forgets removed ones', async () => {
    const policy = NetworkPolicy.parse({ mode: 'allow', rules: [{ host: 'a.b', ports: [443] }] });
    await new PolicyStore(folder).write('w', policy);
    const again = new PolicyStore(folder);
    expect([again.find('w'), again.find('other')]).toEqual([policy, { mode: 'none' }]);
    await again.forget('w');
    expect(again.find('w')).toEqual({ mode: 'none' });
    expect(await readdir(join(folder, 'policies'))).toEqual([]);
  });

  it('PolicyStore allows nothing if the policy is unreadable, and logs the problem', async () => {
    const store = new PolicyStore(folder);
    await store.write('w', { mode: 'none' });
    for (const text of ['{"mode":"allow"', '{"mode":"everything"}', '']) {
      await writeFile(join(folder, 'policies', 'w.json'), text);
      expect(() => store.find('w')).toThrow(/The network policy of workspace w cannot be read/);
    }
  });
});
