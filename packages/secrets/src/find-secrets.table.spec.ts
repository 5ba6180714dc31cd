import { describe, expect, it } from '@jest/globals';
import { findSecrets } from './find-secrets.js';
import { KINDS } from './testing/kinds.js';

const sureIn = async (text: string) => (await findSecrets(text)).filter(({ isSure }) => isSure);
const around = (text: string): readonly string[] => [text, `The note:\n${text}\nand more.`];

describe.each(KINDS)('the scanner and $kind', ({ secrets, harmless }) => {
  it('each kind of secret has at least five examples and five similar harmless texts', () => {
    expect(Math.min(secrets.length, harmless.length)).toBeGreaterThanOrEqual(5);
  });

  it.each(secrets)('the scanner finds the secret in %s', async (text) => {
    for (const each of around(text)) expect(await sureIn(each)).not.toEqual([]);
  });

  it.each(harmless)('the scanner finds no secret in %s', async (text) => {
    for (const each of around(text)) expect(await sureIn(each)).toEqual([]);
  });
});
