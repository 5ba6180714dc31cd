import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_URL, readToken, serverAddress, tokenOf } from './config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('serverAddress', () => {
  it('takes options before the environment before what the launcher wrote', () => {
    writeFileSync(join(folder, 'server.json'), '{"url": "http://127.0.0.1:1234/"}');
    const launched = { url: 'http://127.0.0.1:1234', token: { file: join(folder, 'token') } };
    expect(serverAddress({}, { AISH_DATA: folder, AISH_PROFILES: '/none' })).toEqual(launched);
    const env = { AISH_DATA: folder, AISH_PROFILES: '/none', AISH_URL: 'http://b:2', AISH_TOKEN_FILE: '/env' };
    expect(serverAddress({}, env)).toEqual({ url: 'http://b:2', token: { file: '/env' } });
    expect(serverAddress({ url: 'https://a', tokenFile: '/t' }, env)).toEqual({
      url: 'https://a',
      token: { file: '/t' },
    });
  });

  it('falls back to port 7717 here and to the home folder', () => {
    expect(serverAddress({}, { XDG_DATA_HOME: folder, AISH_PROFILES: '/none' })).toEqual({
      url: DEFAULT_URL,
      token: { file: join(folder, 'aish', 'token') },
    });
    expect(serverAddress({ url: 'http://x' }, { AISH_PROFILES: '/none' }).token).toEqual({
      file: join(homedir(), '.local', 'share', 'aish', 'token'),
    });
  });

  it('takes a server from the file of profiles, and its token from a keychain', async () => {
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
    expect(() => serverAddress({ profile: 'none' }, env)).toThrow(/has no server none; it has home, away/);
    writeFileSync(AISH_PROFILES, JSON.stringify({ keys: { fly: ['f12'] } }));
    expect(() => serverAddress({}, env)).toThrow(/no action fly/);
  });

  it('never repeats what a failed keychain said', async () => {
    const token = { command: ['sh', '-c', 'echo secret; exit 1'] };
    await expect(tokenOf({ url: 'http://x', token })).rejects.toMatchObject({
      code: 'no_token',
      message: 'The token command sh gave no token',
    });
  });

  it('says what is wrong with a broken server.json', () => {
    writeFileSync(join(folder, 'server.json'), '{"url": "file:///etc"}');
    expect(() => serverAddress({}, { AISH_DATA: folder, AISH_PROFILES: '/none' })).toThrow(/server\.json should hold/);
  });
});

describe('readToken', () => {
  it('reads the token, and says what is missing without saying what is there', async () => {
    writeFileSync(join(folder, 'token'), ' aish_abc-_\n');
    expect(await readToken(join(folder, 'token'))).toBe('aish_abc-_');
    await expect(readToken(join(folder, 'none'))).rejects.toMatchObject({ code: 'no_token', isUnauthorised: true });
    writeFileSync(join(folder, 'token'), 'secret\nsecret\n');
    await expect(readToken(join(folder, 'token'))).rejects.not.toThrow(/secret/);
  });
});
