import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DEFAULT_URL, readToken, serverAddress } from './config.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('serverAddress', () => {
  it('takes options before the environment before what the launcher wrote', () => {
    writeFileSync(join(folder, 'server.json'), '{"url": "http://127.0.0.1:1234/"}');
    const launched = { url: 'http://127.0.0.1:1234', tokenFile: join(folder, 'token') };
    expect(serverAddress({}, { AISH_DATA: folder })).toEqual(launched);
    const env = { AISH_DATA: folder, AISH_URL: 'http://b:2', AISH_TOKEN_FILE: '/env' };
    expect(serverAddress({}, env)).toEqual({ url: 'http://b:2', tokenFile: '/env' });
    expect(serverAddress({ url: 'https://a', tokenFile: '/t' }, env)).toEqual({ url: 'https://a', tokenFile: '/t' });
  });

  it('falls back to port 7717 here and to the home folder', () => {
    expect(serverAddress({}, { XDG_DATA_HOME: folder })).toEqual({
      url: DEFAULT_URL,
      tokenFile: join(folder, 'aish', 'token'),
    });
    expect(serverAddress({ url: 'http://x' }, {}).tokenFile).toBe(join(homedir(), '.local', 'share', 'aish', 'token'));
  });

  it('says what is wrong with a broken server.json', () => {
    writeFileSync(join(folder, 'server.json'), '{"url": "file:///etc"}');
    expect(() => serverAddress({}, { AISH_DATA: folder })).toThrow(/server\.json should hold/);
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
