import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tokenOf } from './token.js';
import { serverAddress } from './server-address.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const launched = (url: string, pid = process.pid, started?: string): void =>
  writeFileSync(join(folder, 'server.json'), JSON.stringify({ url, pid, started }));

describe('serverAddress', () => {
  it('options override the environment, which overrides the file of the launcher', () => {
    launched('http://127.0.0.1:1234/');
    const found = { url: 'http://127.0.0.1:1234', token: { file: join(folder, 'token') } };
    expect(serverAddress({}, { AISH_DATA: folder, AISH_PROFILES: '/none' })).toEqual(found);
    const env = { AISH_DATA: folder, AISH_PROFILES: '/none', AISH_URL: 'http://b:2', AISH_TOKEN_FILE: '/env' };
    expect(serverAddress({}, env)).toEqual({ url: 'http://b:2', token: { file: '/env' } });
    expect(serverAddress({ url: 'https://a', tokenFile: '/t' }, env)).toEqual({
      url: 'https://a',
      token: { file: '/t' },
    });
  });

  it('the token of the launcher is used only for the server of the launcher', () => {
    launched('http://127.0.0.1:1234');
    const env = { AISH_DATA: folder, AISH_PROFILES: '/none' };
    expect(serverAddress({ url: 'http://127.0.0.1:1234/' }, env).token).toEqual({ file: join(folder, 'token') });
    for (const url of ['http://127.0.0.1:1235', 'https://127.0.0.1:1234', 'http://nas:1234']) {
      const kept = join(folder, 'tokens', encodeURIComponent(url));
      expect([url, serverAddress({ url }, env).token]).toEqual([url, { file: kept }]);
    }
  });

  it('serverAddress ignores the file of the launcher if the process of the server has ended', () => {
    const env = { AISH_DATA: folder, AISH_PROFILES: '/none' };
    expect(() => serverAddress({}, env)).toThrow(/aish is not running on this machine .* aish login/);
    launched('http://127.0.0.1:1234', spawnSync('true').pid);
    expect(() => serverAddress({}, env)).toThrow(/aish is not running on this machine/);
    expect(serverAddress({ url: 'http://127.0.0.1:1234' }, env).token).not.toEqual({ file: join(folder, 'token') });
  });

  it('serverAddress ignores the file of the launcher if another process has the process ID now', () => {
    const env = { AISH_DATA: folder, AISH_PROFILES: '/none' };
    launched('http://127.0.0.1:1234', process.pid, '1');
    expect(() => serverAddress({}, env)).toThrow(/aish is not running on this machine/);
    expect(serverAddress({ url: 'http://127.0.0.1:1234' }, env).token).not.toEqual({ file: join(folder, 'token') });
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ');
    launched('http://127.0.0.1:1234', process.pid, fields?.[19]);
    expect(serverAddress({}, env).url).toBe('http://127.0.0.1:1234');
  });

  it('the token of AISH_URL is used for no other address', () => {
    const env = { AISH_DATA: folder, AISH_PROFILES: '/none', AISH_URL: 'http://b:2', AISH_TOKEN_FILE: '/env' };
    expect(serverAddress({ url: 'http://b:2/' }, env).token).toEqual({ file: '/env' });
    const kept = join(folder, 'tokens', encodeURIComponent('http://evil:2'));
    expect(serverAddress({ url: 'http://evil:2' }, env).token).toEqual({ file: kept });
    const alone = { AISH_DATA: folder, AISH_PROFILES: '/none', AISH_TOKEN_FILE: '/env' };
    expect(serverAddress({ url: 'http://b:2' }, alone).token).toEqual({ file: '/env' });
  });

  it('the profiles file can define a server whose token comes from a command', async () => {
    const AISH_PROFILES = join(folder, 'config.json');
    const env = { AISH_DATA: folder, AISH_PROFILES };
    const home = { url: 'http://home:7717', tokenCommand: ['printf', 'aish_from_keychain'] };
    writeFileSync(
      AISH_PROFILES,
      JSON.stringify({ default: 'home', servers: { home, away: { url: 'https://a', tokenFile: '/a' } } }),
    );
    const address = serverAddress({}, env);
    expect([address.url, await tokenOf(address)]).toEqual(['http://home:7717', 'aish_from_keychain']);
    expect(serverAddress({ profile: 'away' }, { ...env, AISH_URL: 'http://env' })).toEqual({
      url: 'https://a',
      token: { file: '/a' },
    });
    expect(serverAddress({}, { ...env, AISH_URL: 'http://env' }).url).toBe('http://env');
    expect(() => serverAddress({ profile: 'none' }, env)).toThrow(/has no server none. It has home, away/);
    writeFileSync(AISH_PROFILES, JSON.stringify({ keys: { fly: ['f12'] } }));
    expect(() => serverAddress({}, env)).toThrow(/no action fly/);
  });

  it('the error for a failed token command does not contain its output', async () => {
    const token = { command: ['sh', '-c', 'echo secret; exit 1'] };
    await expect(tokenOf({ url: 'http://x', token })).rejects.toMatchObject({
      code: 'no_token',
      message: 'The token command sh returned no token',
    });
  });

  it('the error for an invalid server.json names the file', () => {
    writeFileSync(join(folder, 'server.json'), '{"url": "file:///etc"}');
    expect(() => serverAddress({}, { AISH_DATA: folder, AISH_PROFILES: '/none' })).toThrow(/server\.json must contain/);
  });
});
