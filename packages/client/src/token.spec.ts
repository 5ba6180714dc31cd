import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { tokenOf } from './token.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const tokenIn = (file: string): Promise<string> =>
  tokenOf({ url: 'http://nas:7717', token: { file: join(folder, file) } });

describe('the token of a server', () => {
  it('the token is the content of its file', async () => {
    writeFileSync(join(folder, 'token'), ' aish_abc-_\n');
    expect(await tokenIn('token')).toBe('aish_abc-_');
  });

  it('the error for a missing token suggests aish login', async () => {
    await expect(tokenIn('none')).rejects.toMatchObject({
      code: 'no_token',
      isUnauthorised: true,
      message: 'You are not signed in to http://nas:7717 on this machine. Sign in: aish login http://nas:7717',
    });
  });

  it('the error for an invalid token does not contain the token', async () => {
    writeFileSync(join(folder, 'token'), 'secret\nsecret\n');
    await expect(tokenIn('token')).rejects.toMatchObject({ message: expect.not.stringMatching(/secret/) });
  });
});
