import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { adapterText } from './adapter.js';
import { provision } from './provision.js';
import { pushService } from './units.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-provision-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const provisioned = (emacs: boolean) => {
  const options = { configHome: join(root, 'config'), aish: ['/usr/bin/node', '/opt/aish/main.js'], emacs };
  return provision(join(root, 'kb'), options);
};

describe('kb provision', () => {
  it('provision writes the timer, enables it, and links the adapter, and a second run changes nothing', async () => {
    const made = await provisioned(true);
    expect(made.map(({ path, outcome }) => [path.slice(root.length), outcome])).toEqual([
      ['/config/systemd/user/aish-kb-push.service', 'made'],
      ['/config/systemd/user/aish-kb-push.timer', 'made'],
      ['/config/systemd/user/timers.target.wants/aish-kb-push.timer', 'made'],
      ['/kb/.git/aish/aish-kb.el', 'made'],
      ['/config/aish/aish-kb.el', 'made'],
    ]);
    expect(readlinkSync(join(root, 'config/aish/aish-kb.el'))).toBe(join(root, 'kb/.git/aish/aish-kb.el'));
    expect(new Set((await provisioned(true)).map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
  });

  it('provision leaves Emacs unchanged unless asked', async () => {
    expect((await provisioned(false)).map(({ path }) => path).join()).not.toContain('.el');
  });

  it('provision repairs its own files, and does not replace the files of others', async () => {
    await provisioned(true);
    writeFileSync(join(root, 'config/systemd/user/aish-kb-push.service'), 'mine');
    expect((await provisioned(true)).map(({ outcome }) => outcome).join()).toBe(
      'changed,unchanged,unchanged,unchanged,unchanged',
    );
    rmSync(join(root, 'config/aish'), { recursive: true });
    mkdirSync(join(root, 'config/aish'));
    writeFileSync(join(root, 'config/aish/aish-kb.el'), ';; my own');
    await expect(provisioned(true)).rejects.toMatchObject({ code: 'knowledge_invalid' });
    expect(readFileSync(join(root, 'config/aish/aish-kb.el'), 'utf8')).toBe(';; my own');
  });

  it('provision quotes folder names with special characters', () => {
    expect(pushService('/kb of "me" 100%/$x', ['/n', '/m'])).toContain(
      'ExecStart="/n" "/m" "kb" "push" "--unattended" "--repo" "/kb of \\"me\\" 100%%/$$x"',
    );
    expect(adapterText('/kb "x" \\y')).toContain(String.raw`(org-roam-directory . "/kb \"x\" \\y")`);
  });
});
