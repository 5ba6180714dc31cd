import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HostAuthority } from './authority.js';

const run = promisify(execFile);

describe('HostAuthority', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'aish-authority-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const authority = new HostAuthority('a secret of this suite that is long enough');
  const file = async (name: string, text: string) => {
    const path = join(dir, name);
    await writeFile(path, text, { mode: 0o600 });
    return path;
  };

  it('a certificate is valid for one command on one host for one minute, as OpenSSH reads it', async () => {
    const command = `rm -rf '/tank/x y'; echo "é"`;
    const at = Date.parse('2026-11-23T12:00:00Z');
    const { certificate, privateKey } = authority.sign({ host: 'nas', command, serial: 7, id: 'an id' }, at);
    const { stdout } = await run('ssh-keygen', ['-L', '-f', await file('c-cert.pub', `${certificate}\n`)], {
      env: { TZ: 'UTC', PATH: process.env['PATH'] },
    });
    expect(stdout).toContain('Type: ssh-ed25519-cert-v01@openssh.com user certificate');
    expect(stdout).toContain('Serial: 7');
    expect(stdout).toContain('Valid: from 2026-11-23T11:59:30 to 2026-11-23T12:01:00');
    expect(stdout).toMatch(/Principals: \n\s+aish-nas\n/);
    expect(stdout).toMatch(/Critical Options: \n\s+force-command rm -rf '\/tank\/x y'; echo "/);
    expect(stdout).toContain('Extensions: (none)');
    const line = (await run('ssh-keygen', ['-y', '-f', await file('key', privateKey)])).stdout;
    const { stdout: own } = await run('ssh-keygen', ['-lf', await file('key.pub', line)]);
    expect(stdout).toContain(own.split(' ')[1]);
  });

  it('the same secret gives the same host authority, and another secret gives another one', () => {
    const line = authority.authorizedKeys('nas');
    expect(line).toMatch(/^cert-authority,principals="aish-nas" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI[\w+/]{43} aish$/);
    expect(new HostAuthority('a secret of this suite that is long enough').authorizedKeys('nas')).toBe(line);
    expect(new HostAuthority('another secret of this suite, long as well').authorizedKeys('nas')).not.toBe(line);
  });

  it('a stored host key can be opened only with the same secret', async () => {
    const { sealed } = authority.storedKey();
    const { privateKey, authorizedKeys } = authority.openKey(sealed);
    const { stdout } = await run('ssh-keygen', ['-y', '-f', await file('stored', privateKey)]);
    expect(authorizedKeys).toContain(stdout.split(' ').slice(0, 2).join(' '));
    expect(() => new HostAuthority('another secret of this suite, long as well').openKey(sealed)).toThrow(
      'another HOSTS_CA_KEY',
    );
  });
});
