import { describe, expect, it } from '@jest/globals';
import { bearerMatches, bearerToken } from './bearer.js';

describe('bearerMatches', () => {
  it('accepts the secret and nothing else', () => {
    expect(bearerMatches('Bearer s3cret-s3cret', 's3cret-s3cret')).toBe(true);
    expect(bearerMatches('bearer s3cret-s3cret', 's3cret-s3cret')).toBe(true);
    for (const header of [undefined, '', 'Bearer ', 'Bearer s3cret', 'Basic s3cret-s3cret', 's3cret-s3cret']) {
      expect(bearerMatches(header, 's3cret-s3cret')).toBe(false);
    }
  });

  it('accepts nothing when the secret is empty', () => {
    expect(bearerMatches('Bearer ', '')).toBe(false);
    expect(bearerMatches(undefined, '')).toBe(false);
  });
});

describe('bearerToken', () => {
  it('reads the token, and null from anything else', () => {
    expect(bearerToken('Bearer aish_abc')).toBe('aish_abc');
    expect(bearerToken('Bearer a b')).toBeNull();
    expect(bearerToken('Token abc')).toBeNull();
  });
});
