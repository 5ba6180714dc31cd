import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { readToken } from './token.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('readToken', () => {
  it('reads the token, and says what is missing without saying what is there', async () => {
    writeFileSync(join(folder, 'token'), ' aish_abc-_\n');
    expect(await readToken(join(folder, 'token'))).toBe('aish_abc-_');
    await expect(readToken(join(folder, 'none'))).rejects.toMatchObject({ code: 'no_token', isUnauthorised: true });
    writeFileSync(join(folder, 'token'), 'secret\nsecret\n');
    await expect(readToken(join(folder, 'token'))).rejects.not.toThrow(/secret/);
  });
});
