import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readLink, signLink } from './decision-link.js';

const key = randomBytes(32);
const now = new Date('2026-06-01T12:00:00Z');
const id = randomUUID();

describe('a decision link', () => {
  it('a decision link names its decision and channel', () => {
    expect(readLink(key, signLink(key, id, 'ntfy', now), now)).toEqual({ decisionId: id, channel: 'ntfy' });
  });

  it('a decision link is refused if it is expired, signed with another key, or moved to another decision', () => {
    const link = signLink(key, id, 'ntfy', now);
    const refused = (text: string, when = now) => expect(() => readLink(key, text, when)).toThrow(/invalid or expired/);
    refused(link, new Date('2026-07-02T12:00:00Z'));
    refused(signLink(randomBytes(32), id, 'ntfy', now));
    const other = signLink(key, randomUUID(), 'ntfy', now);
    refused(other.slice(0, 28) + link.slice(28));
  });

  it('arbitrary text is refused as a decision link', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(() => readLink(key, text, now)).toThrow(/invalid or expired/);
      }),
    );
  });
});

describe('the lifetime of a decision link', () => {
  const days = (n: number) => new Date(now.getTime() + n * 86_400_000);

  it('a decision link expires after a week at most', () => {
    const link = signLink(key, id, 'ntfy', now);
    expect(readLink(key, link, days(6.9)).decisionId).toBe(id);
    expect(() => readLink(key, link, days(7.1))).toThrow(/invalid or expired/);
  });

  it('a decision link expires with its decision if that is sooner', () => {
    const link = signLink(key, id, 'ntfy', now, days(1));
    expect(readLink(key, link, days(0.9)).decisionId).toBe(id);
    expect(() => readLink(key, link, days(1.1))).toThrow(/invalid or expired/);
    expect(() => readLink(key, signLink(key, id, 'ntfy', now, days(30)), days(8))).toThrow(/invalid or expired/);
  });
});
