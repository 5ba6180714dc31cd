import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SecretBox } from './secret-box.js';

const SECRET = 'x'.repeat(32);

describe('a sealed secret', () => {
  it('a sealed secret opens with its key for its owner, and sealing it twice gives different results', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string(), (text, about) => {
        const box = new SecretBox(SECRET, 'secrets');
        expect(new SecretBox(SECRET, 'secrets').open(box.seal(text, about), about)).toBe(text);
        expect(box.seal(text, about)).not.toBe(box.seal(text, about));
      }),
    );
  });

  it('a sealed secret does not open with another key, for another owner, or with a changed byte', () => {
    const sealed = new SecretBox(SECRET, 'secrets').seal('s3cr3t', 'files');
    const flipped = sealed.slice(0, -2) + (sealed.at(-2) === 'A' ? 'B' : 'A') + sealed.slice(-1);
    const attempts = [
      () => new SecretBox('y'.repeat(32), 'secrets').open(sealed, 'files'),
      () => new SecretBox(SECRET, 'mcp secrets').open(sealed, 'files'),
      () => new SecretBox(SECRET, 'secrets').open(sealed, 'other'),
      () => new SecretBox(SECRET, 'secrets').open(flipped, 'files'),
      () => new SecretBox(SECRET, 'secrets').open('v1.', 'files'),
      () => new SecretBox(SECRET, 'secrets').open('s3cr3t', 'files'),
    ];
    for (const attempt of attempts) {
      expect(attempt).toThrow(expect.objectContaining({ code: 'invalid_config' }));
      expect(attempt).not.toThrow(/s3cr3t/);
    }
    expect(sealed).not.toContain('s3cr3t');
  });
});
