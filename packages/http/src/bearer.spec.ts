import { describe, expect, it } from '@jest/globals';
import { bearerMatches, bearerToken } from './bearer.js';

describe('bearerMatches', () => {
  it('bearerMatches accepts only the secret', () => {
    expect(bearerMatches('Bearer s3cret-s3cret', 's3cret-s3cret')).toBe(true);
    expect(bearerMatches('bearer s3cret-s3cret', 's3cret-s3cret')).toBe(true);
    for (const header of [undefined, '', 'Bearer ', 'Bearer s3cret', 'Basic s3cret-s3cret', 's3cret-s3cret']) {
      expect(bearerMatches(header, 's3cret-s3cret')).toBe(false);
    }
  });

  it('bearerMatches accepts nothing if the secret is empty', () => {
    expect(bearerMatches('Bearer ', '')).toBe(false);
    expect(bearerMatches(undefined, '')).toBe(false);
  });
});

describe('bearerToken', () => {
  it('bearerToken returns the token, and null for any other header', () => {
    expect(bearerToken('Bearer aish_abc')).toBe('aish_abc');
    expect(bearerToken('Bearer a b')).toBeNull();
    expect(bearerToken('Token abc')).toBeNull();
  });
});
